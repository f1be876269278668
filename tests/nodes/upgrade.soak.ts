import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { hostSettings } from '../support/driven-host.ts';
import { atFileEnd } from '../support/file-end.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { releasedTree } from '../support/released-tree.ts';
import { reservePort } from '../support/reserved-port.ts';
import { ServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { allOnHost, openSignedUp, type AppPackages, type Device } from '../system/device.ts';
import { hostStateOf, RouteHistory } from '../system/route-history.ts';
import { demoRoute, opsToken, shownBy } from '../system/service.ts';
import { WorkingDriver } from './working-driver.ts';

// The last released servers and phones, and those of this tree, on one database and one host.

/** Changes of each phone, and the number acknowledged when its server is replaced. */
const CHANGES = 30;
const BEFORE = 10;
const delivered = { status: 'D', end_delivery_time: '2026-11-20T16:05:00.000Z' } as const;

test('an upgrade and the way back: phones in the middle of their queues lose and double nothing', async ({
  annotate,
}) => {
  const tree = await releasedTree();
  if (tree === undefined) {
    await annotate('NOT RUN: the history lacks the released commit (a shallow clone)');
    return;
  }
  const [database, library] = [await createDatabase({ empty: true }), await createDatabase({ empty: true })];
  const dataDir = await temporaryFolder();
  const start = (program?: string) => startRelease({ database, library, dataDir, program });
  const releasedMain = join(tree, 'server/src/main.ts');
  const releasedApp = await appOf(tree);

  const before = await start(releasedMain);
  const migrationsBefore = await countMigrations(database);
  const [day, other] = [new RouteHistory(demoRoute('R100')), new RouteHistory(demoRoute('R200'))];
  // One queue is sent all the time, the other is recorded without a network.
  const busy = new WorkingDriver(await openSignedUp(before.port, '1001', undefined, releasedApp), day, [1, 2, 3, 4]);
  const offline = await openSignedUp(before.port, '1003', undefined, releasedApp);
  offline.loseNetwork();
  const recorded = [1, 2, 3].map((id) => other.update(offline.app, { id, updates: delivered }).id);

  // The new release starts beside the former one, which goes on with the new tables.
  const working = busy.work(CHANGES);
  await busy.has(BEFORE);
  const next = await start();
  expect(await countMigrations(database)).toBeGreaterThan(migrationsBefore);
  const upgraded = new WorkingDriver(await openSignedUp(next.port, '1002'), day, [5, 6, 7, 8]);
  move([busy.phone, offline], next);
  await offline.restoreNetwork();
  await before.stop();
  await working;
  await allOnHost(offline.app, recorded);
  await allOnHost(busy.phone.app, busy.ids);

  // And back, while the new app's queue is on its way.
  const workingToo = upgraded.work(CHANGES);
  await upgraded.has(BEFORE);
  const again = await start(releasedMain);
  move([upgraded.phone, busy.phone, offline], again);
  await next.stop();
  const last = other.update(offline.app, { id: 1, updates: { driver_comments: 'after the way back' } });
  await Promise.all([workingToo, last.onHost]);
  await allOnHost(upgraded.phone.app, upgraded.ids);

  const { rows: inLedger } = await database.pool.query<{ id: string }>(`select id from ledger where source = 'sync'`);
  expect(inLedger.map(({ id }) => id).toSorted()).toEqual([...day.ids, ...other.ids].toSorted());
  const clerk = await openStandIn({ url: library.url, library: 'PODDTA', log: recordedLog(), program: 'CLERK' });
  atFileEnd(() => clerk.close());
  const host = { show: shownBy(clerk) };
  expect(await hostStateOf(host, day.route)).toEqual(day.expected());
  expect(await hostStateOf(host, other.route)).toEqual(other.expected());
  for (const table of ['quarantine', 'incident', 'parked'])
    expect.soft((await database.pool.query(`select * from ${table}`)).rows, table).toEqual([]);
  await annotate(`${inLedger.length} changes through two changes of the release`);
  // Three starts of a server, on a machine with other work.
}, 240_000);

interface Place {
  readonly database: TestDatabase;
  readonly library: TestDatabase;
  readonly dataDir: string;
  /** The entry of the server; by default of this tree. */
  readonly program: string | undefined;
}

/** A server that does everything. */
async function startRelease({ database, library, dataDir, program }: Place): Promise<ServerProcess> {
  const env = {
    DATABASE_URL: database.url,
    ...hostSettings(library.url),
    DATA_DIR: dataDir,
    OPS_TOKEN: opsToken,
    HOST_POLL_SECONDS: '1',
    IMPORT_FROM: '20200101',
    DEMO: '1',
    LOG_LEVEL: 'warn',
    WARM_UP: '0',
    PORT: String(await reservePort()),
  };
  const server = new ServerProcess(env, [], program);
  atFileEnd(() => server.stop());
  await server.start();
  return server;
}

/** The phones connect to this server from now on, as behind a proxy. */
function move(phones: readonly Device[], { port }: ServerProcess): void {
  for (const { network } of phones) {
    network.retarget(port);
    network.cut();
  }
}

/** The SDK of a released tree. */
async function appOf(tree: string): Promise<AppPackages> {
  const load = (name: string): Promise<AppPackages> => import(join(tree, 'client-sdk/src', name));
  const [{ createClient }, { MemoryFiles, openUploads }] = [await load('index.ts'), await load('uploads/index.ts')];
  return { createClient, MemoryFiles, openUploads };
}

async function countMigrations({ pool }: TestDatabase): Promise<number> {
  return (await pool.query('select from schema_migration')).rows.length;
}
