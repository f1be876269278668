import { expect, test } from 'vitest';
import { findRunning } from '../../server/src/embedded-postgres/cluster.ts';
import { placeCluster } from '../../server/src/embedded-postgres/placement.ts';
import { fetchDocumented } from '../support/fetch-documented.ts';
import { createDatabase } from '../support/postgres.ts';
import { startServer } from '../support/server-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function drivers(url: string): Promise<{ status: number; retryAfter: string | null }> {
  const { status, headers } = await fetchDocumented(`${url}/api/route/drivers`);
  return { status, retryAfter: headers.get('retry-after') };
}

test('while the database is unreachable the server answers with a time to retry, and recovers automatically', async () => {
  const { url } = await createDatabase();
  const link = await startTcpProxy(Number(new URL(url).port));
  const server = await startServer({ DATABASE_URL: link.through(url), DATA_DIR: await temporaryFolder(), DEMO: '0' });
  expect(await drivers(server.url)).toEqual({ status: 200, retryAfter: null });

  link.refuse();
  link.cut();
  const refused = await drivers(server.url);
  expect(refused.status).toBe(503);
  expect(refused.retryAfter).toMatch(/^\d+$/);
  expect((await fetchDocumented(`${server.url}/api/health`)).status).toBe(200);
  expect((await fetchDocumented(`${server.url}/api/health/ready`)).status).toBe(503);

  await link.accept();
  await expect.poll(async () => (await drivers(server.url)).status, { timeout: 60_000 }).toBe(200);
  await expect
    .poll(async () => (await fetchDocumented(`${server.url}/api/health/ready`)).status, { timeout: 60_000 })
    .toBe(200);
  await server.stop();
});

test('the server restarts an embedded database that crashed, and continues', async () => {
  const dataDir = await temporaryFolder();
  const server = await startServer({ DATA_DIR: dataDir, DEMO: '0' });
  const before = await findRunning(await placeCluster(dataDir));
  if (!before) throw new Error('PostgreSQL does not run');
  process.kill(before.pid, 'SIGKILL');
  await expect.poll(() => server.output, { timeout: 60_000 }).toContain('the embedded PostgreSQL has gone away');
  await expect.poll(async () => (await drivers(server.url)).status, { timeout: 60_000 }).toBe(200);
  const after = await findRunning(await placeCluster(dataDir));
  expect(after).toMatchObject({ port: before.port });
  expect(after?.pid).not.toBe(before.pid);
  await server.stop();
});
