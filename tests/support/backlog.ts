import { applyStopUpdate, stopObject, type StopResult } from '@tailgate/sync-protocol';
import type { Queryable } from '../../server/src/db/types.ts';
import type { Host } from '../../server/src/host/host.ts';
import { insertRows } from '../../server/src/host/files/statements.ts';
import { insertRoutes, plan } from './mirror.ts';

export interface BacklogSize {
  readonly routes: number;
  /** Stops of a route. */
  readonly stops: number;
  /** Manifest lines of a stop; a driver changes a third of them. */
  readonly lines: number;
  /** Mutations before each stop's present state. */
  readonly mutations: number;
}

const WEEK = '20261128';
const ROWS_A_STATEMENT = 500;
/** Small enough for a busy machine within the pool's time limit of a statement. */
const ROUTES_A_STATEMENT = 10;

/**
 * The backlog of a host outage: routes whose every stop was changed several times, while the host has the dispatch
 * program's rows only.
 */
export async function fillBacklog(db: Queryable, host: Host, size: BacklogSize): Promise<void> {
  const ids = Array.from({ length: size.routes }, (_, n) => `B${n}`);
  const stops = Array.from({ length: size.stops }, (_, n) => n + 1);
  const plans = stops.map((stop) => plan(stop, size.lines));
  const docs = stops.map((stop) => JSON.stringify(resultOf(stop, size)));
  for (let i = 0; i < ids.length; i += ROUTES_A_STATEMENT) {
    const some = ids.slice(i, i + ROUTES_A_STATEMENT);
    await insertRoutes(
      db,
      some.map((id) => ({ facility: 'F01', id, weekEnd: WEEK, drivers: ['1001'], stops: plans })),
    );
    await db.query(
      `update stop_result s set version = 1 + k.stop_id * $1::int, status = 'D', doc = k.doc
         from unnest($2::smallint[], $3::text[]) as k (stop_id, doc)
        where s.stop_id = k.stop_id and s.route_id = any($4::text[])`,
      [size.mutations, stops, docs, some],
    );
  }
  await db.query('update route set version = 1 + $1::int', [size.stops * size.mutations]);
  await db.query('analyze');
  await fillHost(host, ids, stops);
}

async function fillHost(host: Host, ids: readonly string[], stops: readonly number[]): Promise<void> {
  const stamp = { user: 'DISPATCH', program: 'DISPATCH', date: '20261120', time: '60000' };
  const routes = ids.map((id) => ({ RHFAC: 'F01', RHRTE: id, RHWKE: WEEK as `${number}`, RHNAM: `Route ${id}` }));
  const rows = ids.flatMap((id) =>
    stops.map((stop) => ({
      RSFAC: 'F01',
      RSRTE: id,
      RSWKE: WEEK as `${number}`,
      RSSTP: `${stop}` as const,
      RSTYP: 'D',
    })),
  );
  await host.transaction(async (tx) => {
    for (let i = 0; i < routes.length; i += ROWS_A_STATEMENT) {
      const part = routes.slice(i, i + ROWS_A_STATEMENT);
      const { sql, bind } = insertRows(host, 'RTHDRP', ['RHFAC', 'RHRTE', 'RHWKE', 'RHNAM'], part.length);
      await tx.execute(sql, bind({ rows: part, stamp }));
    }
    for (let i = 0; i < rows.length; i += ROWS_A_STATEMENT) {
      const part = rows.slice(i, i + ROWS_A_STATEMENT);
      const { sql, bind } = insertRows(host, 'RTSTPP', ['RSFAC', 'RSRTE', 'RSWKE', 'RSSTP', 'RSTYP'], part.length);
      await tx.execute(sql, bind({ rows: part, stamp }));
    }
  });
}

/**
 * A delivered stop as drivers record it: changes of about a third of the lines, one exception, a comment, times,
 * coordinates.
 */
function resultOf(stop: number, { lines, mutations }: BacklogSize): StopResult {
  const touched = plan(stop, lines).products.slice(0, Math.ceil(lines / 3));
  const update = stopObject.parse({
    id: stop,
    updates: {
      status: 'D',
      start_delivery_time: '2026-11-20T15:00:00.000Z',
      end_delivery_time: '2026-11-20T15:20:00.000Z',
      delivery_latitude: '41.878113',
      delivery_longitude: '-87.629798',
      delivered_by_driver_id: '1001',
      store_emp_id: 'E77',
      store_emp_name: 'José Núñez',
      driver_comments: `Laderampe blockiert, Kühlware zuerst; Tor ${stop} war zu, Rückgabe folgt morgen früh`,
    },
    products: touched.map(({ id, invoice }, n) => ({
      id,
      invoice,
      updates: {
        delivered: n + 1,
        accounting_complete: true,
        ...(n === 0 && { osd_data: [{ osd_id: 'ab12cd', osd_code: 10, data: [{ comment: 'damaged', quantity: 1 }] }] }),
      },
    })),
  });
  return applyStopUpdate({ status: 'P' }, update, { at: 1_795_000_000_000, client: 'c', seq: mutations, by: '1001' })
    .result;
}
