import { expect, test } from 'vitest';
import { z } from 'zod';
import { fetchDocumented } from '../support/fetch-documented.ts';
import { createDatabase } from '../support/postgres.ts';
import { reservePort } from '../support/reserved-port.ts';
import { startServer, ServerProcess } from '../support/server-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const envelope = z.object({ success: z.boolean(), data: z.unknown() });

async function ask(url: string) {
  const response = await fetchDocumented(url);
  return { status: response.status, answer: envelope.parse(await response.json()) };
}

test('a server starts without its host, reports that once, and finds the host when it returns', async () => {
  const [{ url }, legacy] = [await createDatabase(), await createDatabase({ empty: true })];
  const link = await startTcpProxy(Number(new URL(legacy.url).port));
  link.refuse();
  const server = await startServer({
    DATABASE_URL: url,
    LEGACY_URL: link.through(legacy.url),
    DATA_DIR: await temporaryFolder(),
    DEMO: '1',
    LOG_LEVEL: 'debug',
  });
  const ready = `${server.url}/api/health/ready`;
  expect(await ask(ready)).toMatchObject({ status: 200, answer: { data: { host: { ok: false, required: false } } } });
  expect((await ask(`${server.url}/api/route/drivers`)).answer.data).toEqual([]);

  await expect.poll(() => server.output, { timeout: 60_000 }).toContain('the host is still away');
  await link.accept();
  await expect
    .poll(async () => (await ask(ready)).answer.data, { timeout: 60_000 })
    .toMatchObject({ host: { ok: true } });
  await expect
    .poll(async () => (await ask(`${server.url}/api/route/drivers`)).answer.data, { timeout: 60_000 })
    .toEqual(expect.arrayContaining(['1001', '1009']));
  await expect.poll(() => server.output, { timeout: 60_000 }).toContain('the host answers');
  expect(server.output.match(/the host is away/g)).toHaveLength(1);
  await server.stop();
});

test('a wrong setting of the host is an error of one line', async () => {
  const { url } = await createDatabase();
  const env = {
    DATABASE_URL: url,
    DATA_DIR: await temporaryFolder(),
    LOG_LEVEL: 'silent',
    DEMO: '0',
    PORT: String(await reservePort()),
  };
  const server = new ServerProcess({ ...env, LEGACY_URL: 'db2://user:hunter2@as400/POD' });
  await expect(server.start()).rejects.toThrow(/Tailgate cannot start\. the host cannot be used: LEGACY_URL names Db2/);
  expect(server.output).not.toContain('hunter2');
});
