import { expect, test } from 'vitest';
import { createPool } from '../../server/src/db/pool.ts';
import { atFileEnd } from '../support/file-end.ts';
import { fetchDocumented } from '../support/fetch-documented.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { startServer } from '../support/server-process.ts';
import { allOnHost, openSignedUp, until, type Device } from '../system/device.ts';
import { RouteHistory, hostStateOf } from '../system/route-history.ts';
import { demoRoute, openService } from '../system/service.ts';
import { WorkingDriver } from './working-driver.ts';
import { openOwnPostgres, type OwnPostgres } from './own-postgres.ts';

/**
 * Changes of each phone around each stop of PostgreSQL: the number acknowledged before it, and the number made after
 * it.
 */
const CHANGES = 20;
const BEFORE = 10;
const AFTER = 3;

const endings = ['stop', 'crash'] as const satisfies (keyof OwnPostgres)[];

/** Resolves when this phone shows a new error about the missing database. An outage is shown once: listen before it. */
async function refusalOf({ app: { status } }: Device): Promise<void> {
  const before = status.current.lastError;
  await until(status, ({ lastError }) => lastError !== before && lastError?.code === 'DATABASE_UNAVAILABLE');
}

test('PostgreSQL restarted: REST answers with a time to retry, sockets stay open, all parts recover and lose nothing', async () => {
  const postgres = await openOwnPostgres();
  const service = await openService({ role: 'api', databaseUrl: () => postgres.url });
  const worker = await startServer(service.env, ['--role', 'worker']);
  const processes = [service.server.pid, worker.pid];
  const [day, otherDay] = [new RouteHistory(demoRoute('R100')), new RouteHistory(demoRoute('R200'))];
  const drivers = [
    new WorkingDriver(await openSignedUp(service.server.port, '1001'), day, [1, 2, 3, 4, 5, 6]),
    new WorkingDriver(await openSignedUp(service.server.port, '1003'), otherDay, [1, 2, 3]),
  ];
  const connections = new Set<string>();
  for (const { phone } of drivers) phone.app.status.subscribe(({ connection }) => connections.add(connection));
  const ask = () => fetchDocumented(`${service.server.url}/api/route/drivers`);
  const pool = createPool({ url: postgres.url, name: 'a look', log: recordedLog() });
  atFileEnd(() => pool.end());
  const inLedger = async (): Promise<string[]> =>
    (await pool.query<{ id: string }>(`select id from ledger where source = 'sync'`)).rows.map(({ id }) => id);

  const working: Promise<void>[] = [];
  const work = (changes: number) => working.push(...drivers.map((driver) => driver.work(changes)));
  for (const end of endings) {
    const enough = drivers.map((driver) => driver.has(driver.acknowledged.size + BEFORE));
    work(CHANGES);
    await Promise.all(enough);
    const shown = drivers.map(({ phone }) => refusalOf(phone));
    await postgres[end]();
    work(AFTER);
    const refused = await ask();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    await Promise.all(shown);
    const acknowledged = drivers.flatMap((driver) => [...driver.acknowledged]);
    await postgres.start();
    const survivors = new Set(await inLedger());
    expect(acknowledged.filter((id) => !survivors.has(id))).toEqual([]);
    await expect.poll(async () => (await ask()).status).toBe(200);
  }
  await Promise.all(working);
  await Promise.all(drivers.map(({ phone, ids }) => allOnHost(phone.app, ids)));
  expect((await inLedger()).toSorted()).toEqual([...new Set(drivers.flatMap(({ ids }) => ids))].toSorted());
  expect(await hostStateOf(service, day.route)).toEqual(day.expected());
  expect(await hostStateOf(service, otherDay.route)).toEqual(otherDay.expected());
  // No phone lost its connection, and no process was started again.
  expect(connections).toEqual(new Set(['online']));
  expect([service.server.pid, worker.pid]).toEqual(processes);
});
