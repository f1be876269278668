import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../server/src/db/migrate.ts';
import { createPool } from '../../server/src/db/pool.ts';
import { runCellsCommand } from '../../server/src/ops/cells/cells.ts';
import { atFileEnd } from '../support/file-end.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { allOnHost, openSignedUp, until, type Device } from '../system/device.ts';
import { demoRoute } from '../system/service.ts';

// A cell on a Citus cluster, as docs/scaling.md makes it. The coordinator is CITUS_URL, as a superuser.

const coordinator = process.env['CITUS_URL'] ?? '';
const cell = `cell_${randomBytes(3).toString('hex')}`;
const route = demoRoute('R100');

let admin: ReturnType<typeof createPool>;
let library: TestDatabase;
let node: ServerProcess;
let other: ServerProcess;
let phone: Device;
let mate: Device;

const urlOf = (role: string): string => {
  const url = new URL(coordinator);
  [url.username, url.password] = [`${role}_${cell}`, 'of-a-test'];
  return url.href;
};

const nodesOf = async () => {
  const { rows } = await admin.query<{ node: string }>(
    `select distinct nodename || ':' || nodeport as node from citus_shards where table_name::text like $1`,
    [`${cell}.%`],
  );
  return rows.map((row) => row.node);
};

beforeAll(async () => {
  admin = createPool({ url: coordinator, name: 'test of citus', log: recordedLog(), size: 1, timeoutMs: 200_000 });
  atFileEnd(() => admin.end());
  await runCellsCommand({ act: 'make', cell, yes: true }, admin);
  for (const role of ['owner', 'app']) await admin.query(`alter role tailgate_${role}_${cell} password 'of-a-test'`);
  await migrate(urlOf('tailgate_owner'), recordedLog());
  await runCellsCommand({ act: 'distribute', cell, yes: true }, admin);
  library = await createDatabase({ empty: true });
  const env = {
    DATABASE_URL: urlOf('tailgate_app'),
    CELL: cell,
    FACILITIES: 'F01',
    LEGACY_URL: library.url,
    DATA_DIR: await temporaryFolder(),
    HOST_POLL_SECONDS: '1',
    DEMO: '1',
  };
  node = await startServer(env);
  other = await startServer(env, ['--role', 'api']);
  phone = await openSignedUp(node.port, '1001');
  mate = await openSignedUp(other.port, '1002');
});

describe('a cell on a Citus cluster', () => {
  test('a change reaches the host and a phone at the other node', async () => {
    const receipt = phone.app.updateStop(route, { id: 1, updates: { status: 'D', driver_comments: 'through Citus' } });
    await allOnHost(phone.app, [receipt.id]);
    const seen = await until(mate.app.stop(1, route), (stop) => stop?.updates.driver_comments === 'through Citus');
    expect(seen?.updates.status).toBe('D');
  });

  test('a cell moves to another node under load: nothing is lost or doubled, and the servers go on', async () => {
    const [from] = await nodesOf();
    const { rows: workers } = await admin.query<{ node: string }>(
      `select nodename || ':' || nodeport as node from pg_dist_node where shouldhaveshards order by 1`,
    );
    const to = workers.map((worker) => worker.node).find((worker) => worker !== from) ?? '';
    const [host = '', port = ''] = to.split(':');
    const moving = runCellsCommand({ act: 'move', cell, host, port: Number(port), yes: true }, admin);
    const receipts = Array.from({ length: 200 }, (_, n) =>
      phone.app.updateStop(route, { id: 2 + (n % 4), updates: { driver_comments: `change ${n}` } }),
    );
    await Promise.all(receipts.map(({ accepted }) => accepted));
    await moving;
    expect(await nodesOf()).toEqual([to]);
    await allOnHost(
      phone.app,
      receipts.map(({ id }) => id),
    );
    const { rows } = await admin.query<{ n: number; ids: number }>(
      `select count(*)::int as n, count(distinct id)::int as ids from ${cell}.ledger where id = any ($1::uuid[])`,
      [receipts.map(({ id }) => id)],
    );
    expect(rows).toEqual([{ n: 200, ids: 200 }]);
    // The epoch has the history of the new node: a server starts.
    await other.stop();
    await other.start();
    expect(await runCellsCommand({ act: 'check', cell }, admin)).toContain(`on ${to}`);
  });
});
