import { operations, type StopResult } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { ServerClock } from '../../../server/src/clock/server-clock.ts';
import { migrate } from '../../../server/src/db/migrate.ts';
import { ClockWatch } from '../../../server/src/clock/watch.ts';
import { findFutureStops, correctClock } from '../../../server/src/ops/clock/heal-clock.ts';
import { TestMachine } from '../../support/machine-clocks.ts';
import { readResult } from '../../../server/src/stops/stored-documents.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { createDatabase } from '../../support/postgres.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import type { Signed } from '../../support/rest-client.ts';
import { Phone } from '../../support/phone.ts';
import { TestQueue } from '../../support/sealing.ts';
import { startSyncNode, type SyncNode } from '../../support/sync-node.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const key = { facility: 'F01', id: 'R100', week_end: '20261121' };

let server: SyncNode;
let ana: Signed;
let ben: Signed;

beforeAll(async () => {
  server = await startSyncNode();
  await insertRoutes(server.database.pool, [
    {
      facility: 'F01',
      id: 'R100',
      weekEnd: '20261121',
      drivers: ['1001', '1002'],
      stops: [1, 2, 3, 4, 5].map((id) => plan(id, 1)),
    },
    { facility: 'F01', id: 'R200', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1, 1), plan(999, 0)] },
    { facility: 'F01', id: 'R300', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1, 1), plan(999, 0)] },
  ]);
  ana = await signUp(server.client, '1001');
  ben = await signUp(server.client, '1002');
});

/** A driver's comment on a stop. @returns what the server answers */
async function comment(as: Signed, stop: number, driver_comments: string) {
  const body = { id: 'R100', stops: [{ id: stop, updates: { driver_comments } }] };
  const { stops } = await server.client.take(operations.syncStops, { as, body });
  return stops[0]?.result;
}

async function resultOf(stop: number): Promise<StopResult> {
  const { rows } = await server.database.pool.query<{ doc: string }>(
    `select doc from stop_result where route_id = 'R100' and stop_id = $1`,
    [stop],
  );
  return readResult(rows[0]?.doc ?? '{}');
}

test('an edit after a jump of the server clock there and back wins', async () => {
  const machine = new TestMachine(Date.now());
  const clock = new ServerClock(machine);
  const take = () => (server.clock.now = clock.now());
  machine.run(1_000);
  machine.setForward(40 * DAY);
  take();
  expect(await comment(ana, 1, 'while the clock is ahead')).toBe('applied');
  machine.setForward(-40 * DAY);
  machine.run(1_000);
  take();
  expect(await comment(ben, 1, 'after it')).toBe('applied');
  expect(await resultOf(1)).toMatchObject({ updates: { driver_comments: 'after it' } });
});

test('stamps of a server that started with a wrong clock are found, reported and healed', async () => {
  const { pool } = server.database;
  const now = new Date();
  server.clock.now = new Date(now.getTime() + 2 * DAY);
  expect(await comment(ana, 2, 'from the future')).toBe('applied');
  server.clock.now = now;
  expect(await comment(ben, 2, 'today')).toBe('stale');
  // The route continues by a right clock; the stamp from the future still overrules edits of its stop.
  expect(await comment(ben, 5, 'today, elsewhere')).toBe('applied');

  const watch = new ClockWatch({ clock: new ServerClock(), db: pool, log: recordedLog() });
  await watch.check();
  expect(watch.remarks).toEqual([expect.stringMatching(/^stamps from the future beat later edits \(routes: 1\)/)]);

  const found = [{ ...key, stops: [2] }];
  expect(await findFutureStops(pool, now)).toEqual(found);
  expect(await correctClock(pool, now, 600)).toEqual(found);
  expect(await findFutureStops(pool, now)).toEqual([]);
  const corrected = new ClockWatch({ clock: new ServerClock(), db: pool, log: recordedLog() });
  await corrected.check();
  expect(corrected.remarks).toEqual([]);
  expect(await resultOf(2)).toMatchObject({ updates: { driver_comments: 'from the future' } });
  server.clock.now = new Date(now.getTime() + 1_000);
  expect(await comment(ben, 2, 'today, again')).toBe('applied');
  expect(await resultOf(2)).toMatchObject({ updates: { driver_comments: 'today, again' } });
});

test('a jump of PostgreSQL alone leaves no stamp from the future', async () => {
  const { pool } = server.database;
  // The value of `now()` while the clock of PostgreSQL is ahead.
  await pool.query(`update route set changed_at = now() + interval '2 days'`);
  const watch = new ClockWatch({ clock: new ServerClock(), db: pool, log: recordedLog() });
  await watch.check();
  expect(watch.remarks).toEqual([]);
  await correctClock(pool, new Date(), 600);
  const { rows } = await pool.query(`select from route where changed_at > now()`);
  expect(rows).toEqual([]);
});

test('a queue that was stamped in the future continues by the right time, in its own order', async () => {
  const now = new Date();
  const queue = new TestQueue();
  const edit = (stop: number, driver_comments: string) =>
    queue.seal('stop.update', { route: key, stop: { id: stop, updates: { driver_comments } } }, server.clock.now);
  const push = async (...items: ReturnType<typeof edit>[]) => {
    const phone = await Phone.connect(server.socketUrl, queue.clientId);
    await phone.signOn(ana);
    phone.push(...items);
    const { results } = await phone.next('ack');
    phone.terminate();
    return results.map(({ result }) => result);
  };
  server.clock.now = new Date(now.getTime() + 2 * DAY);
  expect(await push(edit(3, 'ahead'))).toEqual(['applied']);
  server.clock.now = now;
  expect(await push(edit(4, 'right'), edit(3, 'corrected'))).toEqual(['applied', 'applied']);
  for (const [stop, driver_comments] of [
    [4, 'right'],
    [3, 'corrected'],
  ] as const) {
    const { by, ...result } = await resultOf(stop);
    expect(result).toMatchObject({ updates: { driver_comments } });
    expect(by?.every(({ at }) => at <= now.getTime())).toBe(true);
  }
  server.clock.now = new Date(now.getTime() + 1_000);
  expect(await comment(ben, 3, 'later, by another')).toBe('applied');
  expect(await comment(ben, 4, 'later, by another')).toBe('applied');
});

test('healing ends deadlines from the future, notifies phones, and leaves running timers', async () => {
  const { pool } = server.database;
  const now = new Date();
  const arrive = async (id: string) => {
    const body = { id, stops: [{ id: 999, arrived: true }] };
    await server.client.take(operations.syncStops, { as: ana, body });
  };
  server.clock.now = now;
  await arrive('R200');
  server.clock.now = new Date(now.getTime() + 2 * DAY);
  await arrive('R300');
  server.clock.now = now;
  // The longest that `AUTOCLOSE_SECONDS` allows.
  const running = new Date(now.getTime() + 24 * HOUR - 1_000);
  await pool.query(`update route set autoclose_at = $1 where id = 'R200'`, [running]);
  const read = async () => {
    const { rows } = await pool.query<{ id: string; autoclose_at: Date; header_version: number; version: number }>(
      `select id, autoclose_at, header_version::int, version::int from route where id in ('R200', 'R300') order by id`,
    );
    return rows;
  };
  const [runs, waits] = await read();
  await correctClock(pool, now, 86_400);
  const version = (waits?.version ?? 0) + 2;
  expect(await read()).toEqual([
    runs,
    { id: 'R300', autoclose_at: new Date(now.getTime() + 24 * HOUR), header_version: version, version },
  ]);
});

test('the migration finds stamps of existing routes', async () => {
  const { pool, url } = server.database;
  const at = Date.now() + DAY;
  const doc = { status: 'D', by: [{ at, client: 'rest', seq: 3, by: '1001' }] };
  await pool.query(`update stop_result set doc = $1 where route_id = 'R200' and stop_id = 1`, [JSON.stringify(doc)]);
  await pool.query('alter table route drop column newest_stamp');
  await pool.query('delete from schema_migration where number = 40');
  await migrate(url, recordedLog());
  const { rows } = await pool.query<{ newest_stamp: Date }>(`select newest_stamp from route where id = 'R200'`);
  expect(rows).toEqual([{ newest_stamp: new Date(at) }]);
});

test('a result with texts that jsonb refuses, of an earlier version, is found and healed, too', async () => {
  const { pool } = await createDatabase();
  await insertRoutes(pool, [{ ...key, weekEnd: key.week_end, drivers: ['1001'], stops: [plan(1)] }]);
  const now = new Date();
  const at = new Date(now.getTime() + DAY);
  const products = { 'A\t\t0': { id: 'A', invoice: '', n: 0, open_action: ['\0', { '\ud800': '"' }, '\\u0000'] } };
  const doc = { status: 'D', products, by: [{ at: at.getTime(), client: 'rest', seq: 3, by: '1001' }] };
  await pool.query('update stop_result set doc = $1', [JSON.stringify(doc)]);
  await pool.query('update route set newest_stamp = $1', [at]);
  const watch = new ClockWatch({ clock: new ServerClock(), db: pool, log: recordedLog() });
  await watch.start();
  await watch.stop();
  expect(watch.remarks).toEqual([expect.stringMatching(/^stamps from the future/)]);
  expect(await correctClock(pool, now, 600)).toEqual([{ ...key, stops: [1] }]);
  expect(await findFutureStops(pool, now)).toEqual([]);
  const { rows } = await pool.query<{ doc: string }>('select doc from stop_result');
  expect(readResult(rows[0]?.doc ?? '')).toMatchObject({ products, by: [{ at: now.getTime() }] });
});

describe('the watch over the clocks', () => {
  async function watched(ahead: number) {
    const { pool } = await createDatabase();
    const machine = new TestMachine(Date.now() + ahead);
    const clock = new ServerClock(machine);
    const log = recordedLog();
    const watch = new ClockWatch({ clock, db: pool, log });
    const incidents = async () => {
      const { rows } = await pool.query<{ details: string }>(
        `select details from incident where kind = 'server_clock' order by at`,
      );
      return rows.map(({ details }) => details);
    };
    return { machine, clock, log, watch, incidents };
  }

  test('reports a jump once, in the log, as an incident and as a sentence, until it ends', async () => {
    const { machine, watch, log, incidents } = await watched(0);
    await watch.check();
    expect(watch.remarks).toEqual([]);
    machine.setForward(2 * DAY);
    await watch.check();
    await watch.check();
    expect(watch.remarks).toEqual([expect.stringMatching(/^the clock of this machine jumped 2 days ahead: /)]);
    expect(await incidents()).toEqual([expect.stringContaining('"about":"wall_clock"')]);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    machine.setForward(-2 * DAY);
    await watch.check();
    expect(watch.remarks).toEqual([]);
  });

  test('takes the time of the database where the clocks differ at the start', async () => {
    const { clock, watch, incidents } = await watched(-3 * DAY);
    await watch.start();
    await watch.stop();
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(25_000);
    expect(watch.remarks).toEqual([expect.stringContaining('3 days behind')]);
    expect(await incidents()).toHaveLength(1);
  });

  test('reports a database whose clock leaves the server behind', async () => {
    const { machine, watch } = await watched(0);
    await watch.check();
    // The clock of the database stays: for the server it falls behind.
    machine.run(3 * 3_600_000);
    await watch.check();
    expect(watch.remarks).toEqual(["the clock of PostgreSQL is 3 hours behind, by the server's time: set both by NTP"]);
  });
});
