import { instantOf } from '../../host/files/local-time.ts';

/** The day of a route at its facility, and the clock of its first planned arrival. */
export interface PlannedDay {
  /** YYYYMMDD; blank while the host plans the route. */
  readonly dispatchedOn: string;
  readonly zone: string;
  /** HHMMSS; blank where the plan has no times. */
  readonly firstEta: string;
}

const BEFORE_FIRST_H = 2;
const DAY_MS = 24 * 3_600_000;

/**
 * A planned arrival as an instant; null where the plan has none, or one that no clock shows. A clock more than two hours
 * before the first arrival belongs to the next day: the route drives over midnight.
 */
export function plannedAt(eta: string | null, { dispatchedOn, zone, firstEta }: PlannedDay): Date | null {
  if (!eta || dispatchedOn === '') return null;
  const at = instantOf({ date: dispatchedOn, time: eta }, zone);
  if (!at) return null;
  return hourOf(firstEta) - hourOf(eta) > BEFORE_FIRST_H ? new Date(at.getTime() + DAY_MS) : at;
}

const hourOf = (eta: string): number => Number(eta.slice(0, 2)) + Number(eta.slice(2, 4)) / 60;

/** A stop with its planned and its real time. */
interface Timed {
  readonly planned: Date | null;
  readonly at: Date | null;
}

/**
 * The delay of a route in whole minutes: an overdue next stop decides, else the latest finished one; 0 before the first
 * planned arrival. Null where neither has a planned time.
 */
export function lateMinutes(last: Timed | undefined, next: Timed | undefined, now: Date): number | null {
  const overdue = next?.planned ? minutes(now, next.planned) : null;
  const latest = last?.planned && last.at ? minutes(last.at, last.planned) : null;
  if (overdue !== null && overdue > 0) return Math.max(overdue, latest ?? 0);
  return latest ?? (overdue === null ? null : 0);
}

const minutes = (later: Date, earlier: Date): number => Math.trunc((later.getTime() - earlier.getTime()) / 60_000);
