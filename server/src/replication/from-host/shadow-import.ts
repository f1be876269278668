import type { RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import type { HostStops } from '../to-host/host-stops.ts';
import { ROUTE_ROW } from '../to-host/route-pass.ts';
import { encodeHeader, encodeStop } from '../to-host/shadow.ts';
import * as sql from './import-sql.ts';
import { keyOf, type Inheritance } from './mirror-route.ts';
import type { RouteImage } from './route-changes.ts';

// A facility in shadow: another system writes the service's columns. They are compared, and never taken over.

/**
 * A new route begins with its plan alone: the stops are pending until a driver records them, and the route is open. The
 * rows of the other system are known, as the last state of the host. A route that is closed by then belongs to the past: the
 * mirror takes it over as ever.
 */
export function withoutResults(
  image: RouteImage | undefined,
  inheritance: Inheritance,
): { image: RouteImage | undefined; inheritance: Inheritance } {
  if (image === undefined || image.closing.status === 'C') return { image, inheritance };
  const planned = [...inheritance].map(
    ([stop, { hostStop }]) => [stop, { hostStop, result: { status: 'P' as const }, unmapped: [] }] as const,
  );
  return { image: { ...image, closing: { ...image.closing, arrived: false } }, inheritance: new Map(planned) };
}

/** Notes the present rows of a stop (or of the route, −1) on the host. @throws HostError */
export async function noteOtherSystem(
  { db, host, clock }: { readonly db: Queryable; readonly host: HostStops; readonly clock: () => Date },
  key: RouteKey,
  stop: number,
): Promise<void> {
  const rows = await (stop === ROUTE_ROW ? headerText(host, key) : stopText(host, key, stop));
  if (rows !== undefined) await db.query(sql.saveShadow, [...keyOf(key), stop, rows.sequence, rows.text, clock()]);
}

async function headerText(host: HostStops, key: RouteKey) {
  const found = await host.readHeader(key);
  return found && { text: encodeHeader(found.row), sequence: '0' };
}

async function stopText(host: HostStops, key: RouteKey, stop: number) {
  const found = await host.read(key, stop);
  return found && { text: encodeStop(found), sequence: found.rows.RTSTUP[0]?.RURPSQ ?? '0' };
}
