import type { DataOf, RowOf } from '../api/operations.ts';

export type RouteRow = RowOf<'listRoutes'>;
export type RouteDetail = DataOf<'readOpsRoute'>;
export type StopRow = RouteDetail['stops'][number];
export type RouteEvent = RouteDetail['latest'][number];

/** The counts of a line of stops, one letter a stop. */
export interface Progress {
  readonly stops: number;
  readonly done: number;
  readonly skipped: number;
  readonly refused: number;
}

export function progressOf(letters: string): Progress {
  const count = (letter: string): number => letters.split(letter).length - 1;
  const [skipped, refused] = [count('S'), count('R')];
  return { stops: letters.length, done: letters.length - count('P'), skipped, refused };
}

/** Neighbours of one kind in a line of stops: a route of 150 stops is drawn as a few shapes. */
export interface Run {
  readonly kind: 'done' | 'without' | 'next' | 'open';
  readonly from: number;
  readonly length: number;
}

export function runsOf(letters: string): Run[] {
  const next = letters.indexOf('P');
  const kinds = letters.split('').map((letter, place): Run['kind'] => {
    if (place === next) return 'next';
    if (letter === 'P') return 'open';
    return letter === 'S' || letter === 'R' ? 'without' : 'done';
  });
  const starts = kinds.flatMap((kind, place) => (kind === kinds[place - 1] ? [] : [{ kind, from: place }]));
  return starts.map(({ kind, from }, n) => ({ kind, from, length: (starts[n + 1]?.from ?? letters.length) - from }));
}

/** A plan is no clock: a few minutes are on time. */
const onTimeMinutes = 5;

export function latenessOf({ late_minutes: minutes }: RouteRow): 'late' | 'early' | 'onTime' | 'unknown' {
  if (minutes === null) return 'unknown';
  if (Math.abs(minutes) <= onTimeMinutes) return 'onTime';
  return minutes > 0 ? 'late' : 'early';
}

/** A phone with work and a network reports every few seconds. */
const silentMs = 60 * 60_000;

/** Whether the phones of an open route on its way have been silent for an hour. */
export function isSilent(route: RouteRow, now: number): boolean {
  const { status, arrived, progress, pending, last_heard_at: heard } = route;
  if (status === 'C' || heard === null || now - Date.parse(heard) < silentMs) return false;
  const { done, stops } = progressOf(progress);
  return pending > 0 || (!arrived && done > 0 && done < stops);
}

/** The sums of a list of routes. */
export function sumOf(routes: readonly RouteRow[]) {
  let [stops, done, withExceptions, pending] = [0, 0, 0, 0];
  for (const route of routes) {
    const progress = progressOf(route.progress);
    stops += progress.stops;
    done += progress.done;
    pending += route.pending;
    if (route.exceptions > 0 || progress.skipped > 0 || progress.refused > 0) withExceptions += 1;
  }
  return { routes: routes.length, stops, done, withExceptions, pending };
}

/** The mark of a stop in the line. `look`: the host refuses it. */
export type StopMark = 'done' | 'look' | 'without' | 'next' | 'open';

export function markOf(stop: Pick<StopRow, 'status' | 'parked_since'>, isNext: boolean): StopMark {
  if (stop.parked_since !== null) return 'look';
  if (stop.status === 'P') return isNext ? 'next' : 'open';
  return stop.status === 'S' || stop.status === 'R' ? 'without' : 'done';
}

/** Whether a stop was delivered with other pieces than planned, or with an exception. */
export const isOffPlan = ({ status, exceptions, delivered, planned }: StopPieces): boolean =>
  exceptions > 0 || (status === 'D' && delivered !== planned);

type StopPieces = Pick<StopRow, 'status' | 'exceptions' | 'delivered' | 'planned'>;

export const warehouse = 999;
