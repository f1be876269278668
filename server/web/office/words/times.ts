import { i18n } from './words.ts';

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const forms = {
  /** 08:56 */
  time: clock,
  /** 08:56:02 */
  exact: { ...clock, second: '2-digit' },
  /** Tue 24 Nov, 08:56 */
  day: { ...clock, weekday: 'short', day: 'numeric', month: 'short' },
  date: { year: 'numeric', month: '2-digit', day: '2-digit' },
} as const;
export type TimeForm = keyof typeof forms;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making a formatter costs a thousand times its use. */
function formatter(form: TimeForm, zone: string): Intl.DateTimeFormat {
  const key = `${i18n.language()} ${form} ${zone}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(i18n.language(), { ...forms[form], timeZone: zone });
  formatters.set(key, made);
  return made;
}

/** The reader's zone, where no facility's zone is known. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A time on the clock of a facility; with its day where that is not today. */
export function timeIn(ms: number, zone: string, now: number, form: TimeForm = 'time'): string {
  const isToday = formatter('date', zone).format(ms) === formatter('date', zone).format(now);
  return formatter(isToday ? form : 'day', zone).format(ms);
}

export const dayIn = (ms: number, zone: string): string => formatter('day', zone).format(ms);

/** 2026-11-24 08:56:02 UTC */
export const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
