import { operations } from '@tailgate/sync-protocol';
import { beforeAll, expect, test } from 'vitest';
import { insertEmployees, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

// Contract §4: an Idempotency-Key belongs to the employee, on open endpoints to the address, for 30 days.

const { submitLoadReport, listLoadReports } = operations;
const day = 86_400_000;

let server: RestServer;
let serial = 0;

beforeAll(async () => {
  server = await startRestServer({ trustProxy: 1 });
});

/** A report that no other test sends. */
const newReport = () => ({
  reportId: `RPT-${++serial}`,
  loadId: `LOAD-${serial}`,
  stopId: '1',
  driverId: '1001',
  capturedAt: '2026-11-20T08:15:30.000Z',
  sections: [],
});

const post = (body: object, key: string, address = '192.0.2.1') =>
  server.client.call(submitLoadReport, {
    body,
    headers: { 'idempotency-key': key, 'x-forwarded-for': address },
  });

test('a repeat is a duplicate, also after another revision; other content is 409', async () => {
  const report = newReport();
  const { data: first } = await post(report, 'repeated');
  await server.client.take(submitLoadReport, { body: { ...report, stopId: '2' } });
  expect((await post(report, 'repeated')).data).toEqual({ ...submitLoadReport.data.parse(first), duplicate: true });
  expect((await post({ ...report, stopId: '3' }, 'repeated')).error).toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
    details: [{ path: 'idempotency-key' }],
  });
  const query = `?loadId=${report.loadId}`;
  expect(await server.client.take(listLoadReports, { query })).toMatchObject([{ stopId: '2' }]);
});

test('other reports under a used key leave nothing for the office, also at the same moment', async () => {
  const reports = Array.from({ length: 10 }, newReport);
  const replies = await Promise.all(reports.map((report) => post(report, 'one for all')));
  expect(replies.filter(({ success }) => success)).toHaveLength(1);
  const { rows } = await server.database.pool.query('select code, reason from quarantine');
  expect(rows).toEqual([]);
});

test('after 30 days a key is a new one', async () => {
  const start = server.clock.now.getTime();
  const [first, later] = [newReport(), newReport()];
  await post(first, 'of a month');
  server.clock.now = new Date(start + 29 * day);
  expect((await post(later, 'of a month')).error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
  server.clock.now = new Date(start + 31 * day);
  for (const duplicate of [false, true]) expect((await post(later, 'of a month')).data).toMatchObject({ duplicate });
});

test('a key belongs to its address, in IPv6 to its network', async () => {
  for (const [one, same, other] of [
    ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
    ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'],
  ]) {
    expect((await post(newReport(), 'everybody calls it this', one)).data).toMatchObject({ duplicate: false });
    expect((await post(newReport(), 'everybody calls it this', other)).data).toMatchObject({ duplicate: false });
    expect((await post(newReport(), 'everybody calls it this', same)).error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
  }
});

test('under strict access a key belongs to its driver', async () => {
  const strict = await startRestServer({ database: server.database, access: 'strict' });
  await insertEmployees(server.database.pool, ['1001', '1002']);
  const headers = { 'idempotency-key': '1' };
  for (const employee of ['1001', '1002']) {
    const as = await signUp(strict.client, employee);
    const send = () => strict.client.call(submitLoadReport, { as, body: newReport(), headers });
    expect((await send()).data).toMatchObject({ duplicate: false });
    expect((await send()).error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
  }
});
