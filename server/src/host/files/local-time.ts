import { zoneFormatters } from '../../runtime/zone-clock.ts';

/** A moment in the form of the host's programs: on the clock of the facility. */
export type HostMoment = { date: `${number}`; time: `${number}` };

const formatterOf = zoneFormatters({
  era: 'short',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
});

const noMoment: HostMoment = { date: '0', time: '0' };

/**
 * Zeros for a moment outside the years 1 to 9999, which the host's dates cannot express.
 *
 * @param zone IANA name; an unknown one counts as UTC, which is wrong by hours but never loses the row
 */
export function hostMoment(instant: Date, zone: string): HostMoment {
  const offset = steadyOffset(instant.getTime(), zone);
  if (offset === undefined) return momentByCalendar(instant, zone);
  const local = new Date(instant.getTime() + offset);
  const year = local.getUTCFullYear();
  if (!isYear(year)) return noMoment;
  return {
    date: `${year * 10_000 + (local.getUTCMonth() + 1) * 100 + local.getUTCDate()}`,
    time: `${local.getUTCHours() * 10_000 + local.getUTCMinutes() * 100 + local.getUTCSeconds()}`,
  };
}

function momentByCalendar(instant: Date, zone: string): HostMoment {
  const parts = formatterOf(zone).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((candidate) => candidate.type === type)?.value);
  const year = part('year');
  if (!isYear(year) || parts.some(({ value }) => value === 'BC')) return noMoment;
  return {
    date: `${year * 10_000 + part('month') * 100 + part('day')}`,
    time: `${part('hour') * 10_000 + part('minute') * 100 + part('second')}`,
  };
}

const QUARTER_MS = 900_000;
/** A month of quarter hours, for each zone. */
const QUARTERS_KEPT = 3_000;
const offsetsOfQuarters = new Map<string, Map<number, number | undefined>>();

/**
 * The offset in milliseconds where it is the same from the beginning of this quarter hour to its end; undefined where
 * the clock is set in between. A formatter takes 50 times as long as this lookup, and a stop has several moments.
 */
function steadyOffset(instant: number, zone: string): number | undefined {
  const quarter = Math.floor(instant / QUARTER_MS);
  const offsets = offsetsOfQuarters.get(zone) ?? new Map<number, number | undefined>();
  if (offsets.has(quarter)) return offsets.get(quarter);
  if (offsets.size === 0) offsetsOfQuarters.set(zone, offsets);
  if (offsets.size >= QUARTERS_KEPT) offsets.clear();
  const [first, last] = [quarter * QUARTER_MS, (quarter + 1) * QUARTER_MS - 1_000].map(
    (at) => utcOf(momentByCalendar(new Date(at), zone)) - at,
  );
  const offset = first === last ? first : undefined;
  offsets.set(quarter, offset);
  return offset;
}

/**
 * The instant of a host moment; null for zeros, undefined where no calendar or clock shows it. An ambiguous time is the
 * first of its two instants; a skipped time counts by the offset before the change.
 */
export function instantOf(moment: { date: string; time: string }, zone: string): Date | null | undefined {
  if (Number(moment.date) === 0) return Number(moment.time) === 0 ? null : undefined;
  if (!isMoment(moment)) return undefined;
  const wanted = utcOf(moment);
  // A zone has its offset by instant, not by wall clock: it is one of those before and after.
  const candidates = [wanted - A_DAY_MS, wanted + A_DAY_MS].map((near) => wanted - offsetAt(near, zone));
  const shown = candidates.filter((instant) => instant + offsetAt(instant, zone) === wanted);
  return new Date(shown.length > 0 ? Math.min(...shown) : (candidates[0] ?? wanted));
}

const isYear = (year: number): boolean => year >= 1 && year <= 9_999;

/** Whether this day and this time of day exist. */
function isMoment({ date, time }: { date: string; time: string }): boolean {
  if (!isYear(Math.floor(Number(date) / 10_000))) return false;
  const read = new Date(utcOf({ date, time })).toJSON();
  return read?.replaceAll(/[-:]|\..*/g, '') === `${date.padStart(8, '0')}T${time.padStart(6, '0')}`;
}

const A_DAY_MS = 24 * 3_600_000;

/** Milliseconds by which the clock there is ahead of UTC. */
function offsetAt(instant: number, zone: string): number {
  return utcOf(hostMoment(new Date(instant), zone)) - Math.floor(instant / 1_000) * 1_000;
}

function utcOf({ date, time }: { date: string; time: string }): number {
  const [day, clock] = [Number(date), Number(time)];
  const at = new Date(0);
  // `Date.UTC` takes the years 0 to 99 as 1900 to 1999.
  at.setUTCFullYear(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100);
  return at.setUTCHours(Math.floor(clock / 10_000), Math.floor(clock / 100) % 100, clock % 100);
}
