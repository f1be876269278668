import { operations } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { insertEmployees, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';
import { TestQueue } from '../../support/sealing.ts';
import { startSyncNode } from '../../support/sync-node.ts';

const { submitLoadReport, listLoadReports } = operations;

const report = (serial: number, sections: number, driverId = '1001') => ({
  reportId: `RPT-${serial}`,
  loadId: 'LOAD',
  stopId: '1',
  driverId,
  capturedAt: '2026-11-20T08:15:30.000Z',
  sections: Array.from({ length: sections }, (_, n) => ({
    key: `key ${n}`,
    rating: 3,
    reason: '',
    comment: 'x'.repeat(1_900),
    photos_id: '',
  })),
});
const halfPastEight = new Date('2026-11-20T08:30:00.000Z');
const nineOClock = new Date('2026-11-20T09:00:00.000Z');

const kept = async ({ client }: RestServer): Promise<number> =>
  (await client.take(listLoadReports, { query: '?limit=500' })).length;

test.each([
  ['many short reports', 1, 64],
  ['few long reports', 100, 5],
])('one address: %s reach the quota, until the next hour', async (_, sections, max) => {
  const server = await startRestServer({ reportQuotaMb: 1, trustProxy: 1 });
  server.clock.now = halfPastEight;
  const send = (serial: number, { driverId = '1001', from = '192.0.2.1' } = {}) =>
    server.client.call(submitLoadReport, {
      body: report(serial, sections, driverId),
      headers: { 'x-forwarded-for': from },
    });
  for (let serial = 0; serial < max; serial++) expect((await send(serial)).success).toBe(true);
  const refused = await send(max);
  expect(refused).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
  expect(refused.headers.get('retry-after')).toBe('1800');
  // No credential proves the driver that a body names.
  expect((await send(max, { driverId: '1002' })).status).toBe(429);
  expect(await kept(server)).toBe(max);
  expect((await send(max, { from: '192.0.2.2' })).success).toBe(true);
  server.clock.now = nineOClock;
  expect((await send(max + 1)).success).toBe(true);
});

test('ACCESS=strict: each driver has a quota of their own', async () => {
  const server = await startRestServer({ reportQuotaMb: 1, access: 'strict' });
  server.clock.now = halfPastEight;
  await insertEmployees(server.database.pool, ['1001', '1002']);
  const [anna, bert] = [await signUp(server.client, '1001'), await signUp(server.client, '1002')];
  const send = (as: typeof anna, serial: number) =>
    server.client.call(submitLoadReport, { as, body: report(serial, 100) });
  for (let serial = 0; serial < 5; serial++) expect((await send(anna, serial)).success).toBe(true);
  expect((await send(anna, 5)).error?.code).toBe('RATE_LIMITED');
  expect((await send(bert, 6)).success).toBe(true);
});

test('an invalid report does not count', async () => {
  const server = await startRestServer({ reportQuotaMb: 1 });
  server.clock.now = halfPastEight;
  const send = (body: object) => server.client.call(submitLoadReport, { body });
  for (let serial = 0; serial < 6; serial++)
    expect((await send({ ...report(serial, 100), loadId: '' })).status).toBe(400);
  for (let serial = 0; serial < 5; serial++) expect((await send(report(serial, 100))).success).toBe(true);
});

test('I5: a queue drains regardless of the quota', async () => {
  const node = await startSyncNode({ reportQuotaMb: 1 });
  await insertEmployees(node.database.pool, ['1001']);
  const queue = new TestQueue();
  const phone = await Phone.connect(node.socketUrl, queue.clientId);
  await phone.signOn(await signUp(node.client, '1001'));
  const serials = Array.from({ length: 100 }, (_, serial) => serial);
  phone.push(...serials.map((serial) => queue.seal('report.load_condition', { report: report(serial, 1) })));
  const { last_seq, results } = await phone.next('ack');
  expect(last_seq).toBe(100);
  expect(new Set(results.map(({ result }) => result))).toEqual(new Set(['applied']));
  expect(await kept(node)).toBe(100);
});
