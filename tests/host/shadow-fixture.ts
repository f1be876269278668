import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import { vi } from 'vitest';
import { loadConfig } from '../../server/src/config.ts';
import { HostSide } from '../../server/src/replication/host-side.ts';
import { hostSettings, librarySettings } from '../support/driven-host.ts';
import { openDepot } from '../support/depot.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { OldSystem } from './old-system.ts';
import { keepStatementLog } from './statement-log.ts';

export const WEEK = 20261128;
const DAY = 20261121;

/** A host that an old system writes, drivers who record with the app, and a worker in a mode. */
export async function openShadowWorld() {
  const depot = await openDepot();
  const { pool, url } = depot.database;
  const { env: library, schema } = librarySettings();
  const statements = await keepStatementLog(depot.database, schema);
  const old = new OldSystem((sql, values) => pool.query(sql, values ? [...values] : []));
  await depot.clerk(`insert into PODDTA.FACMSTP (FAFAC, FANAM, FATZ) values ('F02', 'Pilot', 'America/Chicago')`);
  let side: HostSide | undefined;
  const log = recordedLog();
  // It runs: the import waits until a route is quiet.
  const begunAt = performance.now();
  const clock = () => new Date(depot.clock.now.getTime() + performance.now() - begunAt);

  const stop = async (): Promise<void> => {
    await side?.stop();
    side = undefined;
  };
  atFileEnd(stop);

  const rows = async <Found extends Record<string, unknown>>(sql: string, values: unknown[] = []): Promise<Found[]> =>
    (await pool.query<Found>(sql, values)).rows;
  const keyOf = (facility: string, id: string): RouteKey => ({ facility, id, week_end: `${WEEK}` });

  const importNow = () => vi.waitUntil(() => side?.importNow(), { timeout: 60_000, interval: 50 });
  return {
    depot,
    pool,
    log,
    old,
    statements,
    legacyMap: depot.host.map,
    keyOf,
    rows,
    stop,
    /** Stops the worker, and starts one with LEGACY_MODE. Resolves after the first import. */
    enter: async (mode: string): Promise<void> => {
      await stop();
      const env = {
        DATABASE_URL: url,
        ...hostSettings(url),
        LEGACY_MODE: mode,
        DEMO: '0',
        HOST_POLL_SECONDS: '1',
        IMPORT_FROM: '20200101',
        ...library,
      };
      side = new HostSide({
        config: loadConfig(env, []),
        db: pool,
        databaseUrl: url,
        listener: depot.listener,
        boss: depot.boss,
        pipeline: depot.pipeline,
        log,
        clock,
        isRestored: false,
        stopping: new AbortController().signal,
      });
      await side.start();
      // The first import reads a route that is being dispatched without a wait until it is quiet.
      await importNow();
    },
    /** The old system dispatches a route. */
    dispatch: async (facility: string, id: string, stops: readonly number[], driver = '1001'): Promise<RouteKey> => {
      await old.dispatch({ facility, route: id, week: WEEK }, driver, stops, DAY);
      return keyOf(facility, id);
    },
    imported: (key: RouteKey) =>
      vi.waitUntil(
        async () =>
          (await rows('select from route where facility = $1 and id = $2', [key.facility, key.id])).length > 0,
        {
          timeout: 60_000,
          interval: 50,
        },
      ),
    importNow,
    doorbellLines: async (): Promise<number> =>
      (await rows<{ n: number }>('select count(*)::int as n from PODDTA.PODCHGP'))[0]?.n ?? 0,
    route: async (key: RouteKey) =>
      (
        await rows<RouteState>(
          `select version::int, hosted_through::int as hosted, shadow_through::int as shadow, behind,
                  (select count(*)::int from ledger l where l.route_id = r.id and l.source = 'office') as office_edits
             from route r where facility = $1 and id = $2`,
          [key.facility, key.id],
        )
      )[0],
    /** The rows of a stop on the host, as the service has last read them. */
    known: async (key: RouteKey, id: number): Promise<string> =>
      (
        await rows<{ rows: string }>(
          'select rows from host_shadow where facility = $1 and route_id = $2 and stop_id = $3',
          [key.facility, key.id, id],
        )
      )[0]?.rows ?? `nothing of ${routeScope(key)}`,
  };
}

type RouteState = {
  version: number;
  hosted: number;
  shadow: number;
  behind: boolean;
  office_edits: number;
};
