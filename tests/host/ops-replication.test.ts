import { operations } from '../../server/src/http/operations.ts';
import { expect, test } from 'vitest';
import { closedBreaker } from '../../server/src/replication/control/breaker.ts';
import { LagSamples } from '../../server/src/replication/to-host/lag-samples.ts';
import { Heartbeat } from '../../server/src/replication/control/heartbeat.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { opsToken } from '../support/rest-server.ts';
import { rowDeps } from './row-fixture.ts';

// GET /api/ops/replication: what an operator sees of the host's backlog, from a server without a worker of its own.

const { client, depot, pool, report } = await rowDeps();
const { listHostLag, listRouteBacklog, readReplication } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;

const status = () => client.take(readReplication, { headers });
const fileOf = async (name: string) => (await status()).files.find(({ file }) => file === name);
const routes = (query = '') => client.take(listRouteBacklog, { headers, query });

test('the backlog is listed by file and by route, oldest first, and is empty when the host has it', async () => {
  expect(await status()).toMatchObject({ lag_seconds: 0, routes_behind: 0, versions_behind: 0, parked: 0, hold: null });
  const keys = [];
  for (const [minutes, route] of [
    [30, 'OLD'],
    [20, 'MIDDLE'],
    [10, 'YOUNG'],
  ] as const) {
    depot.clock.now = new Date(Date.now() - minutes * 60_000);
    const key = await depot.addRoute(route, [1, 2]);
    for (const id of [1, 2]) await depot.record(key, { id, updates: delivered });
    keys.push(key);
  }
  await report('R1');

  const shown = await status();
  expect(shown).toMatchObject({ routes_behind: 3, versions_behind: 6 });
  expect(shown.lag_seconds).toBeGreaterThanOrEqual(30 * 60);
  expect(shown.lag_seconds).toBeLessThan(40 * 60);
  expect(await fileOf('RTSTUP')).toMatchObject({ behind: 6, parked: 0 });
  expect(Date.parse((await fileOf('RTSTUP'))?.oldest_pending_at ?? '')).toBeLessThan(Date.now() - 29 * 60_000);
  expect(await fileOf('LCRHDP')).toMatchObject({ behind: 1, parked: 0 });
  expect(await fileOf('ASSHDP')).toEqual({ file: 'ASSHDP', behind: 0, parked: 0, oldest_pending_at: null });

  const behind = await routes();
  expect(behind).toMatchObject(
    ['OLD', 'MIDDLE', 'YOUNG'].map((route_id) => ({ facility: 'F01', route_id, parked: 0, claimed: false })),
  );
  for (const { version, hosted_through } of behind) expect(version - hosted_through).toBe(2);
  expect(await routes('?facility=F02')).toEqual([]);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const reply = await client.call(listRouteBacklog, { headers, query: `?limit=1&cursor=${cursor}` });
    seen.push(...listRouteBacklog.data.parse(reply.data).map(({ route_id }) => route_id));
    cursor = listRouteBacklog.meta?.parse(reply.meta).next_cursor ?? null;
  }
  expect(seen).toEqual(['OLD', 'MIDDLE', 'YOUNG']);
  expect((await client.call(listRouteBacklog, { headers, query: '?cursor=x' })).error).toMatchObject({
    details: [{ path: 'cursor' }],
  });

  const worker = depot.worker();
  await worker.start();
  for (const key of keys) await depot.untilHosted(key);
  await expect.poll(async () => (await status()).files.map(({ behind: rows }) => rows)).toEqual([0, 0, 0, 0, 0]);
  expect(await status()).toMatchObject({ lag_seconds: 0, routes_behind: 0 });
  expect(await routes()).toEqual([]);
  await worker.stop();
});

test('a worker’s breaker and its paused files are visible from every node, with time and reason', async () => {
  const since = new Date('2026-11-21T10:00:00.000Z');
  const hostStatus = {
    breaker: { state: 'open', failures: 3, since, reason: '08001 no route to host', waitMs: 1 },
    paused: [{ file: 'RTEMLP', reason: '42704 no such file', since }],
  } as const;
  const heartbeat = new Heartbeat({
    db: pool,
    worker: '0191e5f0-7f3a-7cc1-9d5e-0a4f6a1b2c3d',
    hostStatus: () => hostStatus,
    log: recordedLog(),
  });
  await heartbeat.start();
  await pool.query('insert into worker_heartbeat (worker, seen_at) values (gen_random_uuid(), $1)', [since]);
  const at = since.toISOString();
  expect((await status()).workers).toMatchObject([
    {
      worker: '0191e5f0-7f3a-7cc1-9d5e-0a4f6a1b2c3d',
      alive: true,
      breaker: { state: 'open', failures: 3, since: at, reason: '08001 no route to host' },
      paused: [{ file: 'RTEMLP', reason: '42704 no such file', since: at }],
    },
    { alive: false, breaker: null, paused: [] },
  ]);
  await heartbeat.stop();
});

test('parked entries count until an operator skips them, and a hold gives the reason for the wait', async () => {
  await pool.query(
    `insert into parked_row (file, key, version, sqlstate, reason, payload) values ('ASSHDP', 'A', 1, '22001', 'too long', '{}')`,
  );
  expect(await fileOf('ASSHDP')).toMatchObject({ parked: 1 });
  expect((await status()).parked).toBe(1);
  await pool.query(`update parked_row set skipped_at = now()`);
  expect((await status()).parked).toBe(0);
  expect(await fileOf('ASSHDP')).toMatchObject({ parked: 0 });
  const hold = await client.take(operations.beginHold, { headers, body: { by: 'MILLER', reason: 'new disks' } });
  expect((await status()).hold).toEqual(hold);
});

test('the lag of the last day has a sample for each five minutes, of all workers together', async () => {
  depot.clock.now = new Date(Date.now() - 40 * 60_000);
  await depot.record(await depot.addRoute('LATE', [1]), { id: 1, updates: delivered });
  const away = { state: 'open', failures: 3, since: new Date(), reason: '08001', waitMs: 1 } as const;
  const samples = (breaker: typeof away | typeof closedBreaker) =>
    new LagSamples({ db: pool, hostStatus: () => ({ breaker }), log: recordedLog() });
  const [first, second] = [samples(closedBreaker), samples(away)];
  await first.start();
  await second.start();
  await Promise.all([first.stop(), second.stop()]);
  const rows = await client.take(listHostLag, { headers });
  // A hold of the test above is in force.
  const expected = { routes_behind: 1, parked: 0, on_hold: true };
  for (const row of rows) expect(row).toMatchObject(expected);
  expect(rows.some(({ host_away }) => host_away)).toBe(true);
  expect(rows[0]?.lag_seconds).toBeGreaterThanOrEqual(40 * 60);
  for (const { at } of rows) expect(Date.parse(at) % 300_000).toBe(0);
  // One row, or two where the five minutes end in the middle of this test.
  expect(rows.length).toBeLessThanOrEqual(2);

  await pool.query(`update replication_sample set at = at - interval '26 hours'`);
  expect(await client.take(listHostLag, { headers })).toEqual([]);
  await first.start();
  await first.stop();
  expect((await pool.query('select from replication_sample')).rowCount).toBe(1);
});

test('only operators may use it', async () => {
  expect((await client.call(readReplication)).error?.code).toBe('MISSING_CREDENTIALS');
  expect((await client.call(listRouteBacklog)).error?.code).toBe('MISSING_CREDENTIALS');
});
