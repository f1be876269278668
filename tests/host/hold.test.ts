import { operations } from '../../server/src/http/operations.ts';
import { expect, test } from 'vitest';
import { opsToken } from '../support/rest-server.ts';
import { rowDeps } from './row-fixture.ts';

const { client, depot, expectRows, report } = await rowDeps();
const { beginHold, endHold, listHolds } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const worker = depot.worker({ times: { sweepMs: 50 } });
await worker.start();

const holdOf = async () => (await worker.state()).hold;
const held = async () => {
  await expect.poll(holdOf).toBeDefined();
};
const running = async () => {
  await expect.poll(holdOf).toBeUndefined();
};

test('the switch of the host (PODCTLP): nothing is written, drivers are unaffected, and then all changes arrive', async () => {
  const key = await depot.addRoute('SWITCH', [1, 2]);
  await depot.clerk(`update PODDTA.PODCTLP set CTHOLD = 'Y', CTRSN = 'Save of the library', CTUSR = 'QSECOFR'`);
  await held();
  for (const id of [1, 2])
    expect(await depot.record(key, { id, updates: delivered })).toMatchObject({ result: 'applied' });
  await report('HELD');
  // Each poll of the switch is a chance to write.
  await expect.poll(holdOf).toMatchObject({ source: 'host', reason: 'Save of the library', by: 'QSECOFR' });
  expect(await worker.state()).toMatchObject({ routes: 1, parked: 0, breaker: { state: 'closed' } });
  expect(await depot.show('RTSTUP', "RURTE = 'SWITCH'")).toEqual([]);
  expect(await depot.show('LCRHDP', "LHRPT = 'HELD'")).toEqual([]);
  const [hold] = await client.take(listHolds, { headers });
  expect(hold).toMatchObject({ source: 'host', in_force: true, until: null });
  const params = { hold_id: hold?.hold_id ?? '' };
  expect((await client.call(endHold, { headers, params })).error?.code).toBe('HOLD_NOT_FOUND');

  await depot.clerk(`update PODDTA.PODCTLP set CTHOLD = 'N'`);
  await depot.untilHosted(key);
  expect(await depot.show('RTSTUP', "RURTE = 'SWITCH'")).toHaveLength(2);
  await expectRows('LCRHDP', "LHRPT = 'HELD'", [{ LHRPT: 'HELD' }]);
  expect(await client.take(listHolds, { headers })).toEqual([]);
});

test('the switch of the host counts in small letters, too; an unknown value is logged, and begins no hold', async () => {
  await depot.clerk(`update PODDTA.PODCTLP set CTHOLD = 'y', CTRSN = 'Save', CTUSR = 'ANN'`);
  await expect.poll(holdOf).toMatchObject({ source: 'host', reason: 'Save', by: 'ANN' });
  await depot.clerk(`update PODDTA.PODCTLP set CTHOLD = '1'`);
  await running();
  const switchWarnings = () => depot.log.lines.filter(({ message }) => message.startsWith('CTHOLD'));
  await expect.poll(switchWarnings).toMatchObject([{ level: 'warn', fields: { value: '1' } }]);
  await depot.clerk(`update PODDTA.PODCTLP set CTHOLD = 'N'`);
});

test('the switch of the operators: the backlog drains oldest first', async () => {
  const hold = await client.take(beginHold, { headers, body: { by: 'MILLER', reason: 'new disks' } });
  expect(hold).toMatchObject({ source: 'operator', in_force: true, by: 'machine:MILLER' });
  await held();
  const writes = await depot.countWrites();
  const keys = [];
  for (const route of ['OLD', 'MIDDLE', 'YOUNG']) keys.push(await depot.addRoute(route, [1]));
  for (const key of keys) await depot.record(key, { id: 1, updates: delivered });
  expect(await depot.show('RTSTUP', "RURTE in ('OLD', 'MIDDLE', 'YOUNG')")).toEqual([]);

  const ended = await client.take(endHold, { headers, params: { hold_id: hold.hold_id } });
  expect(ended).toMatchObject({ in_force: false });
  for (const key of keys) await depot.untilHosted(key);
  const { rows } = await depot.database.pool.query<{ route: string }>('select route from result_write order by ctid');
  expect(rows.map(({ route }) => route)).toEqual(['OLD', 'MIDDLE', 'YOUNG']);
  expect(await writes('OLD')).toEqual([1]);
  const again = await client.call(endHold, { headers, params: { hold_id: hold.hold_id } });
  expect(again.error?.code).toBe('HOLD_NOT_FOUND');
});

test('a window of the calendar is in force from its beginning to its end', async () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString();
  const sent = (from: string, until: string) =>
    client.call(beginHold, { headers, body: { by: 'MILLER', reason: 'backup', from, until } });
  expect((await sent(minutes(20), minutes(10))).error).toMatchObject({ details: [{ path: 'until' }] });
  // A past window would be no hold.
  expect((await sent(minutes(-20), minutes(-10))).error).toMatchObject({ details: [{ path: 'until' }] });
  const later = beginHold.data.parse((await sent(minutes(10), minutes(20))).data);
  expect(later).toMatchObject({ in_force: false });
  expect(Date.parse(later.until ?? '')).toBeGreaterThan(Date.parse(later.from));
  await running();
  const now = beginHold.data.parse((await sent(minutes(-1), minutes(20))).data);
  await held();
  expect((await client.take(listHolds, { headers })).map(({ hold_id }) => hold_id)).toEqual([
    now.hold_id,
    later.hold_id,
  ]);
  await depot.database.pool.query('update replication_hold set ends_at = now() where hold_id = $1', [now.hold_id]);
  await running();
  await client.take(endHold, { headers, params: { hold_id: later.hold_id } });
  expect(await client.take(listHolds, { headers })).toEqual([]);
});
