import { randomUUID } from 'node:crypto';
import { operations } from '../../server/src/http/operations.ts';
import { expect, inject, test } from 'vitest';
import type { Drift } from '../../server/src/replication/from-host/drift.ts';
import { HostImport } from '../../server/src/replication/from-host/import.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { Chance } from '../simulate/chance.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { allOnHost, openSignedUp, until } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService, opsToken, type Service } from './service.ts';

const FIVE_MINUTES = 300_000;
/** As many commits fail; the breaker probes the host later after each failure in a row. */
const MAX_LIES = 2;

/** Passes everything on, but loses the answer of some commits with the connection: they happen unconfirmed. */
async function lieAtRandom(proxy: TcpProxy, chance: Chance, isOver: () => boolean): Promise<number> {
  let lies = 0;
  while (lies < MAX_LIES && !isOver()) {
    let asked = '';
    proxy.bufferUp();
    await proxy.untilBufferedUp((waiting) => {
      asked = waiting.toString('latin1');
      return waiting.length > 0;
    });
    const isBuffered = /\bcommit\b/i.test(asked) && chance.fraction() < 0.5;
    if (isBuffered) proxy.bufferDown();
    proxy.releaseUp();
    if (!isBuffered) continue;
    lies++;
    await proxy.untilBufferedDown();
    proxy.cut();
    proxy.pass();
  }
  return lies;
}

const officeEdits = async ({ database }: Service, stop: number): Promise<number> => {
  const asked = `select from ledger where source = 'office' and stop_id = $1`;
  return (await database.pool.query(asked, [stop])).rowCount ?? 0;
};

/** The findings of the nightly comparison. */
async function driftOf({ clerk, database: { pool } }: Service): Promise<Drift> {
  const log = recordedLog();
  const leases = new Leases({ db: pool, owner: randomUUID() });
  const submit = () => Promise.reject(new Error('there was something to take in'));
  const hostImport = new HostImport({
    db: pool,
    host: clerk,
    leases,
    submit,
    clock: () => new Date(),
    log,
    pollSeconds: 60,
  });
  try {
    return await hostImport.findDrift('everything');
  } finally {
    await hostImport.stop();
    await leases.close();
  }
}

const trimmed = (value: unknown): string => String(value).trimEnd();

test('a parked and overtaken stop, edited by a clerk and an older phone, is repaired: each field has its last author’s value', async () => {
  const host = await startTcpProxy(Number(new URL(inject('postgresUrl')).port));
  const service = await openService({ hostUrl: (url) => host.through(url) });
  const { library, rest } = service;
  const driver = await openSignedUp(service.server.port, '1001');
  const helper = await openSignedUp(service.server.port, '1002');
  const day = new RouteHistory(demoRoute('R100'));
  const [line] = driver.app.stop(1, day.route).current?.products ?? [];
  if (!line) throw new Error('stop 1 has no products');
  const row = async (stop: number) => {
    const [held] = await service.show('RTSTUP', `RURTE = 'R100' and RUSTP = ${stop}`);
    return held;
  };
  let isOver = false;
  const lying = lieAtRandom(host, new Chance(7), () => isOver);

  // The helper's phone goes offline five minutes before everything else.
  helper.loseNetwork();
  const older = day.update(
    helper.app,
    {
      id: 1,
      updates: {
        driver_comments: 'seen from the cab',
        store_emp_id: 'E1',
        delivery_latitude: 41.9,
        delivery_longitude: -87.6,
      },
    },
    Date.now() - FIVE_MINUTES,
  );
  await older.saved;
  helper.advanceClocks(FIVE_MINUTES);

  const delivered = { status: 'D' as const, end_delivery_time: '2026-11-20T16:05:00.000Z' };
  await day.update(driver.app, { id: 1, updates: { ...delivered, driver_comments: 'first', store_emp_name: 'Bea' } })
    .onHost;

  // Parked: the host refuses the driver's next change and keeps its old row.
  await library.pool.query(
    `create function refuse() returns trigger language plpgsql as $$
     begin
       if new.rucmt like 'BAD%' then raise exception 'RUCMT is not wanted'; end if;
       return new;
     end $$`,
  );
  await library.pool.query(
    'create trigger refuse before insert or update on poddta.rtstup for each row execute function refuse()',
  );
  const parked = day.update(driver.app, {
    id: 1,
    updates: { driver_comments: 'BAD words' },
    products: [{ id: line.id, invoice: line.invoice, updates: { delivered: line.quantity - 1 } }],
  });
  await parked.accepted;
  const newer = day.update(driver.app, { id: 1, updates: { store_emp_name: 'Ana' } });
  await newer.accepted;
  // Overtaken: the route continues and reports nothing about the parked stop.
  await day.update(driver.app, { id: 2, updates: delivered }).onHost;
  expect([parked, newer].map(({ current }) => current.at)).toEqual(['accepted', 'accepted']);
  expect(await row(1)).toMatchObject({ RUCMT: 'first', RUSNAM: 'Bea' });

  // The clerk writes a column of the service by SQL.
  await service.clerk.transaction((tx) =>
    tx.execute(`update PODDTA.RTSTUP set RUSEMP = 'C7' where RURTE = 'R100' and RUSTP = 1`),
  );
  day.edits.push({ kind: 'update', by: 'CLERK', at: Date.now(), stop: { id: 1, updates: { store_emp_id: 'C7' } } });
  await expect.poll(() => officeEdits(service, 1), { timeout: 60_000 }).toBe(1);
  await helper.restoreNetwork();
  await older.accepted;
  expect(older.current.at).toBe('accepted');

  // Each receipt is compared with the row at the moment of its arrival.
  const seen = [
    [parked, 'RUCMT', 'BAD words'],
    [newer, 'RUSNAM', 'Ana'],
    [older, 'RULAT', '41.900000'],
  ] as const;
  const words = seen.map(async ([receipt, column]) => {
    await receipt.onHost;
    return trimmed((await row(1))?.[column]);
  });
  await library.pool.query('drop trigger refuse on poddta.rtstup');
  const headers = { authorization: `Bearer ${opsToken}` };
  const entries = await rest.take(operations.listParked, { headers });
  for (const { parked_id, stop_id } of entries) {
    expect(stop_id).toBe(1);
    await rest.call(operations.retryParked, { headers, params: { parked_id } });
  }
  expect(await Promise.all(words)).toEqual(seen.map(([, , value]) => value));
  await Promise.all(
    [driver, helper].map(({ app }) =>
      allOnHost(
        app,
        [...day.ids].filter((id) => app.receipt(id)),
      ),
    ),
  );
  isOver = true;
  expect(await lying).toBeGreaterThan(0);
  host.pass();

  expect(await hostStateOf(service, day.route)).toEqual(day.expected());
  for (const { app } of [driver, helper]) {
    const stop = await until(app.stop(1, day.route), (view) => view?.updates.store_emp_id === 'C7');
    expect(stop?.updates).toMatchObject({
      driver_comments: 'BAD words',
      store_emp_name: 'Ana',
      delivery_latitude: '41.9',
    });
  }

  // The drift check finds no edit by others, and repairs nothing.
  await service.server.stop();
  expect(await driftOf(service)).toMatchObject({ plans: [], results: [] });
  expect(await officeEdits(service, 1)).toBe(1);
  expect(await hostStateOf(service, day.route)).toEqual(day.expected());
}, 120_000);
