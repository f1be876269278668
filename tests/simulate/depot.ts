import { createHash, randomUUID } from 'node:crypto';
import { PgBoss } from 'pg-boss';
import type { Db } from '../../server/src/db/types.ts';
import { openPipeline } from '../../server/src/mutations/pipeline.ts';
import { codeBook } from '../../server/src/codes/code-book.ts';
import type { Wakeups } from '../../server/src/mutations/save.ts';
import { bossWakeups, createQueues } from '../../server/src/mutations/wakeups.ts';
import { HostGate } from '../../server/src/replication/host-gate.ts';
import { HostStops } from '../../server/src/replication/host-stops.ts';
import { dispatchRoute, writeMasters } from '../../server/src/replication/host/dispatch.ts';
import type { Host } from '../../server/src/replication/host/host.ts';
import { parseRouteFile } from '../../server/src/replication/host/load-file.ts';
import { openStandIn } from '../../server/src/replication/host/postgres.ts';
import { HostImport } from '../../server/src/replication/import.ts';
import { Leases } from '../../server/src/replication/lease.ts';
import { ReplicationLog } from '../../server/src/replication/replication-log.ts';
import { replicateRoute } from '../../server/src/replication/route-pass.ts';
import { createPool } from '../../server/src/db/pool.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { type Fuse, MortalDatabase } from './mortal-database.ts';
import type { Stillness } from './stillness.ts';

export const FACILITY = 'F01';
export const WEEK = '20261121';
/** Stops of every route; the first ones are each one driver's alone, the others everybody's. */
export const STOPS = 5;
const DRIVERS_A_ROUTE = 3;

/** What outlives every process: the database, the stand-in host, and what the office has dispatched on it. */
export interface Depot {
  readonly db: Db;
  readonly host: Host;
  readonly wakeups: Wakeups;
  readonly log: ReturnType<typeof recordedLog>;
  /** Dispatches a route for each seed, and takes all of them in. */
  dispatch(seeds: readonly number[]): Promise<void>;
  /** A worker's pass over one route; it may be killed on the way. */
  replicate(seed: number, stillness: Stillness, fuse?: Fuse): Promise<void>;
  close(): Promise<void>;
}

/** The drivers of a seed's route. */
export const driversOf = (seed: number): string[] =>
  Array.from({ length: DRIVERS_A_ROUTE }, (_, n) => String(10_000 + seed * DRIVERS_A_ROUTE + n));
export const routeOf = (seed: number) => ({ facility: FACILITY, id: `S${seed}`, week_end: WEEK });
export const tokenOf = (employee: string): string => `token-of-${employee}`;

const office = { user: 'OFFICE', now: new Date(Date.UTC(2026, 10, 20)) };

/** @param url a database with all migrations */
export async function openDepot(url: string): Promise<Depot> {
  const log = recordedLog();
  const db = createPool({ url, name: 'simulation', log, pipelined: true });
  const host = await openStandIn({ url, library: 'PODDTA', log, program: 'TAILGATE' });
  const clerk = await openStandIn({ url, library: 'PODDTA', log, program: 'CLERK' });
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on('error', (err) => log.warn({ err }, 'pg-boss has trouble with the database'));
  await boss.start();
  await createQueues(boss);
  const wakeups = bossWakeups(boss);
  const clock = (): Date => new Date();
  const rules = () => ({ codes: codeBook([]), closeMode: 'legacy' as const, timerMs: 600_000 });
  const pipeline = openPipeline({ db, wakeups, rules, clock, log });
  const leases = new Leases({ db, owner: randomUUID() });
  const imports = new HostImport({
    db,
    host,
    leases,
    submit: (change) => pipeline.submit(change),
    clock,
    log,
    pollSeconds: 3_600,
  });
  const nothing = (): void => undefined;
  const random = (): number => 0;
  const gate = new HostGate({
    host,
    log,
    clock,
    random,
    pauseMs: 200,
    onOpen: nothing,
    onPaused: nothing,
    onResumed: nothing,
  });
  const replicationLog = new ReplicationLog({ host, gate, clock, log });

  return {
    db,
    host,
    wakeups,
    log,
    dispatch: async (seeds) => {
      const employees = seeds.flatMap(driversOf);
      await writeMasters(clerk, office, {
        facilities: [{ FAFAC: FACILITY, FANAM: 'Depot', FATZ: 'America/Chicago' }],
        employees: employees.map((id) => ({
          EMEMP: id,
          EMNAM: `Driver ${id}`,
          EMPHN: '',
          EMSTS: 'A',
          EMFAC: FACILITY,
          EMJOB: '',
        })),
        codes: [],
      });
      for (const seed of seeds)
        for (const file of parseRouteFile(routeFile(seed))) await dispatchRoute(clerk, file, office);
      await imports.importNow();
      await db.query(
        `insert into session (token_hash, employee, device, expires_at)
         select h, e, 'simulation', 'infinity' from unnest($1::bytea[], $2::text[]) as k (h, e)`,
        [employees.map((employee) => createHash('sha256').update(tokenOf(employee)).digest()), employees],
      );
    },
    replicate: async (seed, stillness, fuse) => {
      const mortal = new MortalDatabase(db, stillness, nothing);
      if (fuse) mortal.light(fuse);
      const own = new Leases({ db: mortal, owner: randomUUID() });
      const ground = {
        db: mortal,
        host: new HostStops(host, gate),
        leases: own,
        importNow: (edits: Parameters<HostImport['takeEdits']>[0]) => imports.takeEdits(edits),
        clock,
        log,
        closeDelayMs: 0,
        gate,
        replicationLog,
      };
      try {
        const lease = await own.take(routeOf(seed));
        if (!lease) throw new Error('somebody else has the route');
        await replicateRoute(ground, lease);
        await own.release(lease);
      } catch (error) {
        if (!mortal.isDead) throw error;
        // Its lease runs out.
        await db.query('update route_lease set expires_at = now() where route_id = $1', [routeOf(seed).id]);
      } finally {
        await own.close().catch(nothing);
      }
    },
    close: async () => {
      await gate.stop();
      await imports.stop();
      await leases.close();
      await pipeline.close();
      await boss.stop({ graceful: false });
      await host.close();
      await clerk.close();
      await db.end();
    },
  };
}

function routeFile(seed: number): object {
  return {
    ...routeOf(seed),
    name: `Seed ${seed}`,
    drivers: driversOf(seed).map((id) => ({ id, type: 'DRIVER' })),
    stops: Array.from({ length: STOPS }, (_, n) => ({
      id: n + 1,
      type: 'delivery',
      customer: { id: `C${n + 1}`, name: `Market ${n + 1}` },
      products: [{ id: 'EGGS', name: 'Eggs', invoice: `INV${n + 1}`, quantity: 5 }],
      collections: [],
    })),
  };
}
