import type { DataOf } from '../api/operations.ts';

export type Sample = DataOf<'listHostLag'>[number];

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A sample has the highest values of this time. */
const sampleMs = 300_000;
const tickHours = 4;
/** Heights of the chart in s: the lowest one with room for the highest value counts. */
const tops = [60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400];

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Present {
  readonly now: number;
  readonly seconds: number;
}

/** A time in which the host was away or on hold. */
export interface Span {
  readonly from: number;
  readonly until: number;
  readonly x: number;
  readonly width: number;
}

export interface LagChart {
  /** Paths of SVG: a line for each run of samples without a gap, and the area below it. */
  readonly lines: readonly { readonly line: string; readonly area: string }[];
  readonly grid: readonly { readonly seconds: number; readonly y: number }[];
  readonly ticks: readonly { readonly at: number; readonly x: number }[];
  readonly holds: readonly Span[];
  readonly aways: readonly Span[];
  /** The present lag. */
  readonly end: { readonly x: number; readonly y: number };
}

/** The chart of the last day in a box. The present lag is its last point. */
export function chartOf(samples: readonly Sample[], present: Present, box: Box): LagChart {
  const { now, seconds } = present;
  const begin = now - dayMs;
  const top = topFor(Math.max(seconds, ...samples.map(({ lag_seconds }) => lag_seconds)));
  const xOf = (at: number): number =>
    round(box.left + ((Math.min(Math.max(at, begin), now) - begin) / dayMs) * (box.right - box.left));
  const yOf = (lag: number): number => round(box.bottom - (lag / top) * (box.bottom - box.top));
  const lines = runsOf(pointsOf(samples, present)).map((run) => {
    const line = `M${run.map(({ at, lag }) => `${xOf(at)} ${yOf(lag)}`).join('L')}`;
    const [first, last] = [run[0], run.at(-1)];
    return { line, area: `${line}L${xOf(last?.at ?? now)} ${box.bottom}L${xOf(first?.at ?? now)} ${box.bottom}Z` };
  });
  const spansOf = (isIn: (sample: Sample) => boolean): readonly Span[] =>
    runsOf(samples.filter(isIn).map(({ at }) => ({ at: Date.parse(at), lag: 0 }))).map((run) => {
      const [from, until] = [run[0]?.at ?? now, Math.min(now, (run.at(-1)?.at ?? now) + sampleMs)];
      return { from, until, x: xOf(from), width: round(Math.max(2, xOf(until) - xOf(from))) };
    });
  const lastHour = Math.floor(now / hourMs) * hourMs;
  return {
    lines,
    grid: [0, 1, 2, 3].map((n) => ({ seconds: (top * n) / 3, y: yOf((top * n) / 3) })),
    ticks: [5, 4, 3, 2, 1, 0].map((n) => lastHour - n * tickHours * hourMs).map((at) => ({ at, x: xOf(at) })),
    holds: spansOf(({ on_hold }) => on_hold),
    aways: spansOf(({ host_away }) => host_away),
    end: { x: xOf(now), y: yOf(seconds) },
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** A lag of several days has a height of its own. */
const topFor = (highest: number): number => tops.find((top) => top >= highest) ?? Math.ceil(highest / 86_400) * 86_400;

interface Point {
  readonly at: number;
  readonly lag: number;
}

/** The samples, and the present lag as the last point. */
const pointsOf = (samples: readonly Sample[], { now, seconds }: Present): readonly Point[] => [
  ...samples.map(({ at, lag_seconds }) => ({ at: Date.parse(at), lag: lag_seconds })),
  { at: now, lag: seconds },
];

/** Splits points where a sample is missing: no worker ran then. */
function runsOf(points: readonly Point[]): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  for (const point of points) {
    const last = runs.at(-1);
    const before = last?.at(-1);
    if (last && before && point.at - before.at < 2 * sampleMs) last.push(point);
    else runs.push([point]);
  }
  return runs;
}

/** The highest values of an hour. */
export interface Hour {
  readonly at: number;
  readonly seconds: number;
  readonly routes: number;
  readonly parked: number;
  readonly isAway: boolean;
  readonly isHeld: boolean;
}

/** The same as figures, the newest hour first. */
export function hoursOf(samples: readonly Sample[]): readonly Hour[] {
  const byHour = Map.groupBy(samples, ({ at }) => Math.floor(Date.parse(at) / hourMs) * hourMs);
  return [...byHour]
    .map(([at, all]) => ({
      at,
      seconds: Math.max(...all.map(({ lag_seconds }) => lag_seconds)),
      routes: Math.max(...all.map(({ routes_behind }) => routes_behind)),
      parked: Math.max(...all.map(({ parked }) => parked)),
      isAway: all.some(({ host_away }) => host_away),
      isHeld: all.some(({ on_hold }) => on_hold),
    }))
    .sort((a, b) => b.at - a.at);
}

/** The greatest lag of the day, the present one included; the latest of equals. */
export const highestOf = (samples: readonly Sample[], present: Present): Point =>
  pointsOf(samples, present).reduce((best, each) => (best.lag > each.lag ? best : each));
