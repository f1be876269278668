import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { ServerClock } from '../../../server/src/clock/server-clock.ts';
import { ClockWatch } from '../../../server/src/clock/watch.ts';
import { findFutureStops, healClock } from '../../../server/src/ops/clock/heal-clock.ts';
import { TestMachine } from '../../support/machine-clocks.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { createDatabase } from '../../support/postgres.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import type { Signed } from '../../support/rest-client.ts';
import { startRestServer, type RestServer } from '../../support/rest-server.ts';

const DAY = 86_400_000;

let server: RestServer;
let ana: Signed;
let ben: Signed;

beforeAll(async () => {
  server = await startRestServer();
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001', '1002'], stops: [plan(1, 1), plan(2, 1)] },
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

async function commentOf(stop: number): Promise<unknown> {
  const { rows } = await server.database.pool.query<{ doc: string }>('select doc from stop_result where stop_id = $1', [
    stop,
  ]);
  return JSON.parse(rows[0]?.doc ?? '{}');
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
  expect(await commentOf(1)).toMatchObject({ updates: { driver_comments: 'after it' } });
});

test('stamps of a server that started with a wrong clock are found, reported and healed', async () => {
  const { pool } = server.database;
  const now = new Date();
  server.clock.now = new Date(now.getTime() + 2 * DAY);
  expect(await comment(ana, 2, 'from the future')).toBe('applied');
  server.clock.now = now;
  expect(await comment(ben, 2, 'today')).toBe('stale');
  await pool.query(`update route set changed_at = $1, autoclose_at = $1`, [new Date(now.getTime() + 2 * DAY)]);

  const watch = new ClockWatch({ clock: new ServerClock(), db: pool, log: recordedLog() });
  await watch.check();
  expect(watch.remarks).toEqual([expect.stringMatching(/^1 routes and 0 queues have stamps from the future/)]);

  const found = [{ facility: 'F01', id: 'R100', week_end: '20261121', stops: [2] }];
  expect(await findFutureStops(pool, now)).toEqual(found);
  expect(await healClock(pool, now)).toEqual(found);
  expect(await findFutureStops(pool, now)).toEqual([]);
  expect(await commentOf(2)).toMatchObject({ updates: { driver_comments: 'from the future' } });
  server.clock.now = new Date(now.getTime() + 1_000);
  expect(await comment(ben, 2, 'today, again')).toBe('applied');
  expect(await commentOf(2)).toMatchObject({ updates: { driver_comments: 'today, again' } });
  const { rows } = await pool.query<{ waits: boolean }>(
    `select changed_at > now() + interval '1 minute' or autoclose_at > now() + interval '2 hours' as waits from route`,
  );
  expect(rows).toEqual([{ waits: false }]);
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
