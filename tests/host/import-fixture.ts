import { randomUUID } from 'node:crypto';
import { PgBoss } from 'pg-boss';
import type { RouteKey } from '@tailgate/sync-protocol';
import { codeBook } from '../../server/src/codes/code-book.ts';
import type { Db } from '../../server/src/db/types.ts';
import { openPipeline } from '../../server/src/mutations/intake/pipeline.ts';
import { bossWakeups, createQueues } from '../../server/src/mutations/jobs/wakeups.ts';
import type { CellFacilities } from '../../server/src/modes/cell-facilities.ts';
import { HostPolling } from '../../server/src/replication/from-host/host-polling.ts';
import { Doorbell } from '../../server/src/host/reads/doorbell.ts';
import { dispatchRoute, writeMasters } from '../../server/src/host/tools/dispatch.ts';
import type { Host } from '../../server/src/host/host.ts';
import { parseRouteFile } from '../../server/src/host/tools/load-file.ts';
import { HostImport } from '../../server/src/replication/from-host/import.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { readPlan, readResult } from '../../server/src/stops/stored-documents.ts';
import { tableOf } from '../support/driven-host.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';

export const WEEK = '20261121';
/** Suites use constant weeks, on any day of their run. */
const EARLIEST_WEEK = '20200101';
export const routeKey = (id: string): RouteKey => ({ facility: 'F01', id, week_end: WEEK });

/**
 * A host with master data, an empty mirror beside it, the real pipeline, and imports of both, by doorbell or by
 * polling, with this clock.
 */
export async function importDeps(by: 'doorbell' | 'polling' = 'doorbell', clock = () => new Date()) {
  const { database, host, clerk } = await createHost();
  const { pool } = database;
  if (by === 'polling') await pool.query(`drop table ${await tableOf('PODCHGP')} cascade`);
  const changesFrom = (importFrom: string) =>
    by === 'doorbell' ? new Doorbell(host) : new HostPolling({ db: pool, host, clock, importFrom });
  const changes = changesFrom(EARLIEST_WEEK);
  const boss = new PgBoss({ connectionString: database.url, useListenNotify: true });
  // It reconnects by itself; without a listener an error of it would end the process.
  boss.on('error', () => undefined);
  await boss.start();
  await createQueues(boss);
  const pipeline = openPipeline({
    db: pool,
    wakeups: bossWakeups(boss),
    rules: () => ({ codes: codeBook([]), closeMode: 'legacy', timerMs: 600_000 }),
    clock: () => new Date(),
    log: recordedLog(),
  });
  atFileEnd(async () => {
    await pipeline.close();
    await boss.stop({ graceful: false });
  });
  await writeMasters(clerk, office(), {
    facilities: [{ FAFAC: 'F01', FANAM: 'Depot', FATZ: 'America/Chicago' }],
    employees: ['1001', '1002', '1003'].map((id) => ({
      EMEMP: id,
      EMNAM: `Driver ${id}`,
      EMPHN: '',
      EMSTS: 'A',
      EMFAC: 'F01',
      EMJOB: '',
    })),
    codes: [],
  });

  const openImport = (
    over: Host = host,
    pollSeconds = 3_600,
    db: Db = pool,
    importFrom = EARLIEST_WEEK,
    routesPerMinute?: number,
    facilities?: CellFacilities,
  ) => {
    const log = recordedLog();
    const leases = new Leases({ db: pool, owner: randomUUID() });
    const imports = new HostImport({
      db,
      host: over,
      leases,
      submit: (change) => pipeline.submit(change),
      clock: () => new Date(),
      log,
      pollSeconds,
      importFrom,
      routesPerMinute,
      facilities,
      changes: over !== host ? new Doorbell(over) : importFrom === EARLIEST_WEEK ? changes : changesFrom(importFrom),
    });
    atFileEnd(async () => {
      await imports.stop();
      await leases.close();
    });
    return { imports, log, leases };
  };

  const dispatch = async (route: object): Promise<void> => {
    for (const file of parseRouteFile(route)) await dispatchRoute(clerk, file, office());
  };

  /** A route in the mirror. */
  const read = async (id: string) => {
    const [route] = (await pool.query<MirrorRow>('select * from route where id = $1', [id])).rows;
    const plans = (
      await pool.query<PlanRow>(
        'select stop_id, version, doc, removed_at from stop_plan where route_id = $1 order by 1',
        [id],
      )
    ).rows;
    const results = (
      await pool.query<ResultRow>('select stop_id, version, doc from stop_result where route_id = $1 order by 1', [id])
    ).rows;
    const drivers = (
      await pool.query<DriverRow>(
        'select employee, type, removed_at from route_driver where route_id = $1 order by 1',
        [id],
      )
    ).rows;
    return {
      route,
      plans: plans.map(({ doc, ...row }) => ({ ...row, plan: readPlan(doc) })),
      results: new Map(results.map(({ stop_id, version, doc }) => [stop_id, { version, result: readResult(doc) }])),
      drivers: drivers.map(({ employee, type, removed_at }) => ({ employee, type, removed: removed_at !== null })),
    };
  };

  return { database, pool, host, clerk, changes, pipeline, openImport, dispatch, read };
}

/** A second for each day's work: rows that are written anew differ. */
let seconds = 0;
const office = () => ({ user: 'OFFICE', now: new Date(Date.parse('2026-11-20T18:00:00Z') + 1_000 * seconds++) });

interface MirrorRow {
  epoch: number;
  version: number;
  hosted_through: number;
  header_version: number;
  plan_version: number;
  name: string;
  status: string;
  arrived: boolean;
  closed_at: Date | null;
  closed_by: string | null;
  published_at: Date | null;
  withdrawn_at: Date | null;
}
interface PlanRow {
  stop_id: number;
  version: number;
  doc: string;
  removed_at: Date | null;
}
interface ResultRow {
  stop_id: number;
  version: number;
  doc: string;
}
interface DriverRow {
  employee: string;
  type: string;
  removed_at: Date | null;
}

/** A route file of a few stops that a test can change. */
export function routeFile(id: string, { stops = 2, quantity = 5, drivers = ['1001', '1002'], name = 'North' } = {}) {
  return {
    id,
    facility: 'F01',
    week_end: WEEK,
    name,
    email_flag: 'Y',
    drivers: drivers.map((driver) => ({ id: driver, type: 'DRIVER' })),
    stops: [
      ...Array.from({ length: stops }, (_, index) => ({
        id: index + 1,
        customer: {
          id: `C${id}${index}`,
          name: `Café ${index}`,
          contact: { email: 'a@example.com', salesrep: { id: 'S1', name: 'Sam', phone: '1' } },
          location: {
            address: ['1 Main St', 'Dock'],
            city: 'Chicago',
            state: 'IL',
            zip: '60601',
            coordinates: { latitude: '41.5', longitude: '-87.25' },
          },
        },
        invoices: [{ id: `${id}I${index}`, date: '2026-11-20' }],
        products: [
          { id: 'MILK', name: 'Milk', invoice: `${id}I${index}`, quantity, action: null },
          { id: 'EGGS', name: 'Eggs', invoice: `${id}I${index}`, quantity: 1, action: { type: 'scan' } },
          { id: 'MILK', name: 'Milk', invoice: `${id}I${index}`, quantity: 2, action: null },
        ],
        collections: [{ id: 'TOTE', name: 'Totes', quantity: 3, required: true, add_photos: true, section: 'RETURNS' }],
      })),
      { id: 999, type: 'warehouse' },
    ],
  };
}
