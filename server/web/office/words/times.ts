import type { Placed } from '../zones.ts';
import { namesZone, zoneOf } from '../zones.ts';
import { i18n, t } from './words.ts';

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const forms = {
  /** 08:56 */
  time: clock,
  /** 08:56:02 */
  exact: { ...clock, second: '2-digit' },
  /** Tue 24 Nov, 08:56 */
  day: { ...clock, weekday: 'short', day: 'numeric', month: 'short' },
  /** Mon 24 Nov 2031, 00:00 */
  dayOfYear: { ...clock, weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  year: { year: 'numeric' },
  date: { year: 'numeric', month: '2-digit', day: '2-digit' },
} as const;
export type TimeForm = keyof typeof forms;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making a formatter costs a thousand times its use. */
function formatter(form: TimeForm, zone: string, isNamed = false): Intl.DateTimeFormat {
  const key = `${i18n.language()} ${form} ${zone} ${isNamed}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(i18n.language(), {
    ...forms[form],
    timeZone: zone,
    ...(isNamed && { timeZoneName: 'short' }),
  });
  formatters.set(key, made);
  return made;
}

/**
 * A time on the clock of its facility; with its day where that is not today, and with the year where that is not the
 * present one, and with its zone where the reader could take it for another (`namesZone`).
 */
export function timeIn(ms: number, of?: Placed, form: TimeForm = 'time', now = Date.now()): string {
  const zone = zoneOf(of);
  const isNow = (each: TimeForm): boolean => formatter(each, zone).format(ms) === formatter(each, zone).format(now);
  const shown = isNow('date') ? form : isNow('year') ? 'day' : 'dayOfYear';
  return formatter(shown, zone, isZoneNamed(ms, of)).format(ms);
}

const isZoneNamed = (ms: number, of: Placed | undefined): boolean =>
  namesZone(of, (zone, own) => formatter('dayOfYear', zone).format(ms) !== formatter('dayOfYear', own).format(ms));

const isToday = (ms: number, of: Placed | undefined, now: number): boolean => dayKey(ms, of) === dayKey(now, of);

/** `timeIn` with its word, such as “at 08:56”: in Spanish it has an article, another one for a day than for a time. */
export const atTime = (ms: number, of?: Placed, form?: TimeForm, now = Date.now()): string =>
  t(isToday(ms, of, now) ? 'at.today' : 'at.day', { time: timeIn(ms, of, form, now) });

/** `timeIn` after the word “until”, with its article. */
export const untilTime = (ms: number, of?: Placed, form?: TimeForm, now = Date.now()): string =>
  t(isToday(ms, of, now) ? 'until.today' : 'until.day', { time: timeIn(ms, of, form, now) });

/** The day of a facility, as the host writes it: 20261124. */
export function dayKey(ms: number, of?: Placed): string {
  const parts = new Map(
    formatter('date', zoneOf(of))
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  return `${parts.get('year')}${parts.get('month')}${parts.get('day')}`;
}

/** The day and the time of no place. */
export const dayIn = (ms: number): string => formatter('day', zoneOf(), isZoneNamed(ms, undefined)).format(ms);

/** A day of the host, 20261124, in words; a text of another form stays as it is. */
export function dayText(key: string): string {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(key) ?? [];
  if (year === undefined) return key;
  const ms = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(ms)) return key;
  return new Intl.DateTimeFormat(i18n.language(), { dateStyle: 'medium', timeZone: 'UTC' }).format(ms);
}

/** 2026-11-24 08:56:02 UTC */
export const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
