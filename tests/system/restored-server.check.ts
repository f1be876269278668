import { execFile } from 'node:child_process';
import { appendFile, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operations } from '@tailgate/sync-protocol';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openEmbedded } from '../../server/src/embedded-postgres/embedded.ts';
import { placeCluster } from '../../server/src/embedded-postgres/placement.ts';
import { signUp } from '../support/people.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { RestClient, type Signed } from '../support/rest-client.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untilRouteReceived } from '../support/until-route-received.ts';
import { demoRoute } from './service.ts';

const run = promisify(execFile);
const ops = join(import.meta.dirname, '../../server/bin/ops.ts');
const route = demoRoute('R100');

/**
 * Has the next start of PostgreSQL recover as after a point-in-time restore: to the end of its log, on a new timeline.
 */
async function recoverAtNextStart(dataDir: string): Promise<void> {
  const { folder } = await placeCluster(dataDir);
  const signal = join(folder, 'data/recovery.signal');
  await writeFile(signal, '');
  await chmod(signal, 0o666); // PostgreSQL's own user removes it
  await appendFile(join(folder, 'data/postgresql.auto.conf'), `restore_command = 'false'\nhot_standby = off\n`);
}

/** The sequence of a stop's result on the host, as soon as it has one. */
async function hostSequence(client: pg.Client, stop: number): Promise<number> {
  for (;;) {
    const notified = new Promise((resolve) => client.once('notification', resolve));
    const { rows } = await client.query<{ sequence: string }>(
      `select RURPSQ as sequence from PODDTA.RTSTUP where RURTE = $1 and RUSTP = $2`,
      [route.id, stop],
    );
    if (rows[0]) return Number(rows[0].sequence);
    await notified;
  }
}

/** Delivers a stop and waits for the host to have it. */
async function deliver(server: ServerProcess, signed: Signed, dataDir: string, stop: number): Promise<number> {
  const embedded = await openEmbedded(dataDir, { log: recordedLog(), name: 'a look at the host' });
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  try {
    await client.query('listen tailgate_routes');
    const body = { ...route, stops: [{ id: stop, updates: { status: 'D' } }] };
    await new RestClient(server.url).take(operations.syncStops, { as: signed, body });
    return await hostSequence(client, stop);
  } finally {
    await client.end();
    await embedded.stop();
  }
}

test('a restored database is refused until an operator confirms it; then phones and host continue in a new epoch', async () => {
  const dataDir = await temporaryFolder();
  const server = await startServer({ DATA_DIR: dataDir });
  const signed = await signUp(new RestClient(server.url), '1001');
  expect(await untilRouteReceived(server.url, signed)).toBe('1');
  const before = await deliver(server, signed, dataDir, 1);
  expect(Math.floor(before / 10 ** 10)).toBe(1);
  await server.stop();

  await recoverAtNextStart(dataDir);
  await expect(server.start()).rejects.toThrow(
    /Tailgate cannot start\. this database has been restored .*timeline 2, it was on 1\): .* npm run ops -- restored/,
  );
  const node = ['--conditions=source', ops, 'restored', '--reason', 'trial'];
  const { stdout } = await run(process.execPath, node, { env: { DATA_DIR: dataDir } });
  expect(stdout).toContain('Epoch 2 has begun, after epoch 1.');

  await server.start();
  expect(await untilRouteReceived(server.url, signed)).toBe('2');
  const after = await deliver(server, signed, dataDir, 2);
  expect(Math.floor(after / 10 ** 10)).toBe(2);
}, 180_000);
