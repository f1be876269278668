import { latestOf } from './diary.ts';
import type { Edit, Evidence } from './evidence.ts';
import { hasRestores, routeOf } from './fixture.ts';
import type { HostStop } from './host-rows.ts';
import { valuesOnHost } from './host-rows.ts';

/** In some worlds the host refuses comments that begin so. */
export const REFUSED_COMMENT = 'BAD';
export const hasRefusals = (seed: number): boolean => seed % 4 === 2 && !hasRestores(seed);

/** Whether the host refuses the present values of a stop. @param edits in the order in which they count */
export const isRefused = (edits: readonly Edit[]): boolean =>
  latestOf(edits.map(({ values }) => ({ values: values ?? {} }))).driver_comments?.startsWith(REFUSED_COMMENT) ?? false;

/** The stops that have to be parked, in ascending order. @param edits in the order in which they count */
const refusedStops = (edits: readonly Edit[]): number[] =>
  [...new Set(edits.map(({ stop }) => stop))]
    .filter((stop) => isRefused(edits.filter((edit) => edit.stop === stop)))
    .toSorted((a, b) => a - b);

/**
 * The stops whose values the host refuses are parked, and skipped by an operator. No other stop is, and every phone of
 * the route shows the same.
 */
export async function wrongParking(
  { db, seed, drivers, rulings }: Evidence,
  edits: readonly Edit[],
): Promise<string[]> {
  const { rows } = await db.query<{
    readonly stop_id: number;
    readonly skipped_by: string | null;
    readonly skip_reason: string | null;
  }>('select stop_id, skipped_by, skip_reason from parked where route_id = $1 order by stop_id', [routeOf(seed).id]);
  const expected = refusedStops(edits).map((stop) => {
    const skip = rulings.skips.get(stop);
    return `stop ${stop} by ${skip?.by} (${skip?.note})`;
  });
  const stored = rows.map(
    ({ stop_id, skipped_by, skip_reason }) => `stop ${stop_id} by ${skipped_by} (${skip_reason})`,
  );
  const wrong: string[] = [];
  if (stored.join('; ') !== expected.join('; '))
    wrong.push(`parked and skipped is ${stored.join('; ')}, not ${expected.join('; ')}`);
  for (const { phone, hasPhone, isSignedIn } of drivers) {
    if (!hasPhone || !isSignedIn) continue;
    const route = phone.app?.route(routeOf(seed)).current;
    const shown = route?.stops.filter(({ parked }) => parked).map(({ id }) => id);
    if (shown && shown.join() !== refusedStops(edits).join())
      wrong.push(`the phone of ${phone.employee} shows the stops ${shown.join()} as parked`);
  }
  return wrong;
}

/** The host has an earlier state of a parked stop: values that were recorded there, and nothing that it refuses. */
export function wrongParkedRows(stop: number, edits: readonly Edit[], host: HostStop | undefined): string[] {
  if (!host) return [];
  const nothing = new Map<string, unknown>(Object.entries({ status: 'P', arrived: false, delivered: 0, returned: 0 }));
  const recorded = edits.map(({ values }) => new Map<string, unknown>(Object.entries(values ?? {})));
  return Object.entries(valuesOnHost(host)).flatMap(([field, shown]) => {
    const isRecorded = recorded.some((values) => values.get(field) === shown);
    if (isRecorded || shown === (nothing.get(field) ?? '')) return [];
    return [`the parked stop ${stop} has ${field} ${String(shown)} on the host, which was not recorded`];
  });
}
