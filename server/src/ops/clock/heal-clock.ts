import type { RouteKey, Stamp } from '@tailgate/sync-protocol';
import { CLOCK_TOLERANCE_MS } from '../../clock/server-clock.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Tx } from '../../db/types.ts';
import { readResult } from '../../stops/stored-documents.ts';
import * as sql from './heal-clock-sql.ts';
import { recordAct } from '../../acts/sql.ts';
import { reportIncident } from '../../incidents/sql.ts';

/** Stops by route that have a writer from the future. */
export type FutureStops = RouteKey & { readonly stops: readonly number[] };

export async function findFutureStops(db: Db, now: Date): Promise<FutureStops[]> {
  const { rows } = await db.query<{ facility: string; route_id: string; week_end: string; stops: number[] }>(
    sql.findStopsAfter,
    [now.getTime() + CLOCK_TOLERANCE_MS],
  );
  return rows.map(({ facility, route_id: id, week_end, stops }) => ({ facility, id, week_end, stops }));
}

/**
 * Dates stamps from the future back to `now`, so that later edits win again; values stay, and so does the order among these
 * stamps. Deadlines, retries, leases and limits that wait for such a time end. The ledger keeps what was recorded.
 *
 * @param now the right time
 * @param timerSeconds how long a closing timer runs; a later deadline comes from the wrong clock
 * @returns the stops that were healed
 */
export async function correctClock(db: Db, now: Date, timerSeconds: number): Promise<FutureStops[]> {
  const found = await findFutureStops(db, now);
  for (const route of found) await withTransaction(db, (tx) => correctRoute(tx, route, now));
  await withTransaction(db, async (tx) => {
    await tx.query(sql.correctQueues, [now]);
    await tx.query(sql.correctTimers, [now, timerSeconds]);
    for (const statement of sql.correctWaits) await tx.query(statement, [now]);
    const stops = found.reduce((sum, route) => sum + route.stops.length, 0);
    const healed = { now, routes: found.length, stops };
    await tx.query(reportIncident, ['clock_healed', JSON.stringify(healed)]);
    const subject = { kind: 'database', id: 'clock' } as const;
    await recordAct(tx, { by: 'npm run ops', act: 'healClock', subject, reason: '', before: null, after: healed });
    await tx.query(sql.notifyAll, ['*']);
  });
  return found;
}

async function correctRoute(tx: Tx, { facility, id, week_end, stops }: FutureStops, now: Date): Promise<void> {
  const key = [facility, id, week_end];
  const { rows: locked } = await tx.query<{ version: number }>(sql.lockRoute, key);
  const version = (locked[0]?.version ?? 0) + 1;
  // Read behind the lock: a batch may have written them meanwhile.
  const { rows } = await tx.query<{ stop_id: number; doc: string }>(sql.readResults, [...key, stops]);
  for (const { stop_id, doc } of rows) {
    const result = readResult(doc);
    const corrected = { ...result, by: datedBack(result.by ?? [], now.getTime()) };
    await tx.query(sql.writeResult, [...key, stop_id, JSON.stringify(corrected), version]);
  }
  await tx.query(sql.setRouteVersion, [...key, version]);
}

/** Writers after `now` get the latest moments up to it, a millisecond apart, in their own order. */
function datedBack(writers: readonly Stamp[], now: number): Stamp[] {
  const future = writers
    .filter(({ at }) => at > now)
    .toSorted((a, b) => a.at - b.at || (a.client < b.client ? -1 : a.client > b.client ? 1 : a.seq - b.seq));
  return writers.map((writer) => {
    const place = future.indexOf(writer);
    return place < 0 ? writer : { ...writer, at: now - (future.length - 1 - place) };
  });
}
