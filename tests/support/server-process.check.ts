import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findRunning } from '../../server/src/embedded-postgres/cluster.ts';
import { placeCluster } from '../../server/src/embedded-postgres/placement.ts';
import { fetchDocumented } from './fetch-documented.ts';
import { createDatabase } from './postgres.ts';
import { reservePort } from './reserved-port.ts';
import { startServer, ServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('the server as a process', () => {
  test('starts, is killed, starts again on the same port, and stops cleanly', async () => {
    const { url } = await createDatabase();
    const env = { DATABASE_URL: url, DATA_DIR: await temporaryFolder(), DEMO: '0', LOG_LEVEL: 'info' };
    const server = await startServer(env);
    const health = async (): Promise<unknown> => (await fetchDocumented(`${server.url}/api/health`)).json();
    expect(await health()).toMatchObject({ success: true });

    await server.kill9();
    await expect(health()).rejects.toThrow('fetch failed');
    await server.start();
    expect(await health()).toMatchObject({ success: true });

    await server.restart();
    expect(await health()).toMatchObject({ success: true });
    await server.stop();
    expect(server.pid).toBeUndefined();
    // Contract §8: each start prints its access and the open endpoints.
    const printed = server.output.split('\n').filter((line) => line.includes('these endpoints need no credentials'));
    expect(printed).toHaveLength(3);
    for (const line of printed) {
      expect(line).toContain('"access":"documented"');
      expect(line).toContain('"GET /api/v20/route/drivers"');
    }
  });

  test('a port in use is one line with the remedy, and exit code 1', async () => {
    const { url } = await createDatabase();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const env = { DATABASE_URL: url, DATA_DIR: await temporaryFolder(), DEMO: '0', PORT: port };
    const server = new ServerProcess(env);
    await expect(server.start()).rejects.toThrow(
      new RegExp(
        `\\(1\\) .* Tailgate cannot start\\. cannot listen on 127\\.0\\.0\\.1 port ${port}: another program listens`,
      ),
    );
    expect(server.output.trim().split('\n')).toHaveLength(1);
    other.close();
    await once(other, 'close');
  });

  test('a wrong setting is one line that names it', async () => {
    const server = new ServerProcess({ PORT: 'many', DATA_DIR: await temporaryFolder() });
    await expect(server.start()).rejects.toThrow(/PORT: expected a whole number/);
    expect(server.output.trim().split('\n')).toHaveLength(1);
  });

  test('an unreachable database is one line without the password', async () => {
    const server = new ServerProcess({
      DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/none',
      DATA_DIR: await temporaryFolder(),
      LOG_LEVEL: 'silent',
    });
    await expect(server.start()).rejects.toThrow(/the database cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1/);
    expect(server.output).not.toContain('hunter2');
  });
});

test('api and worker run side by side on one data folder; Ctrl-C or a closed terminal ends them and their database', async () => {
  const env = { DATA_DIR: await temporaryFolder(), DEMO: '0' };
  const api = await startServer(env, ['--role', 'api']);
  const figuresPort = await reservePort();
  const worker = await startServer({ ...env, METRICS_PORT: `${figuresPort}` }, ['--role', 'worker']);
  const figures = await (await fetch(`http://127.0.0.1:${figuresPort}/metrics`)).text();
  expect(figures).toMatch(/^tailgate_build_info\{version="[\d.]+",role="worker"\} 1$/m);
  expect(figures).toContain('tailgate_worker_alive 1\n');
  expect(worker.output).toMatch(/^Tailgate is ready \(worker only\)$/m);
  await expect(new ServerProcess(env, ['--role', 'api']).start()).rejects.toThrow(
    `Tailgate cannot start. Tailgate (process ${api.pid}) already runs on ${env.DATA_DIR}`,
  );
  await Promise.all([api.stop('SIGINT'), worker.stop('SIGHUP')]);
  expect(await findRunning(await placeCluster(env.DATA_DIR))).toBeUndefined();
});

test('a first start that is stopped ends at once and leaves nothing', async () => {
  const DATA_DIR = await temporaryFolder();
  const server = new ServerProcess({ DATA_DIR, PORT: `${await reservePort()}` });
  const started = server.start().then(() => 'it serves', String);
  const drafts = () => readdir(join(DATA_DIR, 'postgres')).catch(() => []);
  await expect.poll(drafts, { timeout: 40_000 }).toEqual([expect.stringMatching(/^new-/)]);
  await server.stop();
  expect(await started).toBe('Error: the server ended (0) before it was ready: Stopping (SIGTERM) …');
  expect(await drafts()).toEqual([]);
});
