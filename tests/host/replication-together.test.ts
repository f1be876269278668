import type { RouteKey } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { HostError, type Host } from '../../server/src/host/host.ts';
import { openDepot } from '../support/depot.ts';

// The stops of a route that are behind go to the host in one transaction, at most 24 of them. When the host does not
// take a transaction, each of its stops is written on its own.

const depot = await openDepot();
const { pool } = depot.database;
const writesOf = await depot.countWrites();

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const line = { id: 'ITEM1', invoice: 'INV1', updates: { delivered: 2 } };
const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;

/** A route with a result at each of these stops. */
async function recordedRoute(id: string, count: number): Promise<RouteKey> {
  const key = await depot.addRoute(id, numbers(count));
  for (const stop of numbers(count)) await depot.record(key, { id: stop, updates: delivered, products: [line] });
  return key;
}

/** The host, with the written results of each transaction that it took. */
function watchedHost(change: Partial<Host> = {}) {
  const taken: number[] = [];
  const host: Host = {
    ...depot.host,
    transaction: async (work) => {
      let results = 0;
      const answer = await depot.host.transaction((tx) =>
        work({
          query: (sql, values) => tx.query(sql, values),
          execute: async (sql, values) => {
            const count = await tx.execute(sql, values);
            if (/merge into \w+\.RTSTUP/i.test(sql)) results += count;
            return count;
          },
        }),
      );
      if (results > 0) taken.push(results);
      return answer;
    },
    ...change,
  };
  return { host, taken };
}

async function replicate(key: RouteKey, host: Host): Promise<void> {
  const worker = depot.worker({ host });
  await worker.start();
  await depot.untilHosted(key);
  await worker.stop();
}

const results = (route: string) => depot.show('RTSTUP', `RURTE = '${route}'`);
const parked = async () => (await pool.query<object>('select route_id, stop_id, reason from parked')).rows;

test('a route of 30 stops takes two transactions, and every row is there once', async () => {
  const key = await recordedRoute('MANY', 30);
  const { host, taken } = watchedHost();
  await replicate(key, host);
  expect(taken).toEqual([24, 6]);
  expect(await writesOf('MANY')).toEqual(numbers(30));
  expect(await results('MANY')).toHaveLength(30);
  expect(await depot.show('RTPRUP', `RQRTE = 'MANY'`)).toHaveLength(30);
  const stops = await depot.show('RTSTPP', `RSRTE = 'MANY'`);
  expect(stops.map(({ RSSTS }) => RSSTS)).toEqual(numbers(30).map(() => 'D'));
});

test('host refuses one stop: it is parked, and the others of its transaction are written', async () => {
  await pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin if new.RURTE = 'BAD' and new.RUSTP = 3 then raise exception 'not this one'; end if; return new; end $$`);
  await pool.query(`create trigger refuse before insert on PODDTA.RTSTUP for each row execute function refuse()`);
  const key = await recordedRoute('BAD', 6);
  const { host, taken } = watchedHost();
  await replicate(key, host);
  expect(taken).toEqual([1, 1, 1, 1, 1]);
  expect(await writesOf('BAD')).toEqual([1, 2, 4, 5, 6]);
  expect(await parked()).toMatchObject([{ route_id: 'BAD', stop_id: 3 }]);
  await pool.query('drop trigger refuse on PODDTA.RTSTUP');
});

test('clerk changes one stop first: it is imported, and nothing of the clerk’s is overwritten', async () => {
  const key = await recordedRoute('EDIT', 4);
  const { host } = watchedHost();
  await replicate(key, host);
  await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Erika' where RURTE = 'EDIT' and RUSTP = 2`);
  depot.clock.now = new Date(depot.clock.now.getTime() + 1_000);
  for (const id of numbers(4)) await depot.record(key, { id, updates: { driver_comments: 'inside' } });
  await replicate(key, host);
  const rows = await results('EDIT');
  expect(rows.map(({ RUSNAM, RUCMT }) => [RUSNAM, RUCMT])).toEqual([
    ['', 'inside'],
    ['Erika', 'inside'],
    ['', 'inside'],
    ['', 'inside'],
  ]);
});

test('answer of the commit is lost: the stops are settled one by one, and none is written twice', async () => {
  const key = await recordedRoute('LOST', 5);
  let lost = 1;
  const { host } = watchedHost({
    transaction: async (work) => {
      const answer = await depot.host.transaction(work);
      if (lost-- > 0) throw new HostError('08007', 'the answer of the commit is lost');
      return answer;
    },
  });
  await replicate(key, host);
  expect(await writesOf('LOST')).toEqual(numbers(5));
  expect(await parked()).toMatchObject([{ route_id: 'BAD' }]);
});

test('row in use: its route is tried again stop by stop, and the stops before it are on the host', async () => {
  const key = await recordedRoute('LOCK', 4);
  let isLocked = true;
  const attempts: number[] = [];
  const host: Host = {
    ...depot.host,
    transaction: (work) =>
      depot.host.transaction(async (tx) => {
        const stops: number[] = [];
        const answer = await work({
          query: (sql, values) => tx.query(sql, values),
          execute: async (sql, values = []) => {
            const isResult = /merge into \w+\.RTSTUP/i.test(sql);
            // The key's fourth column is the stop, for each row of the statement.
            const width = values.length / ((sql.match(/\), \(/g)?.length ?? 0) + 1);
            if (isResult) for (let at = 3; at < values.length; at += width) stops.push(Number(values[at]));
            const count = await tx.execute(sql, values);
            if (isLocked && stops.includes(3)) throw new HostError('57033', 'the row is in use');
            return count;
          },
        }).finally(() => stops.length > 0 && attempts.push(stops.length));
        return answer;
      }),
  };
  const worker = depot.worker({ host, random: () => 0.001 });
  await worker.start();
  await expect.poll(() => attempts.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(5);
  expect(await results('LOCK')).toHaveLength(2);
  isLocked = false;
  await depot.untilHosted(key);
  await worker.stop();
  // All four, then one by one until the locked one; the passes after a failure begin one by one.
  expect(attempts.slice(0, 5)).toEqual([4, 1, 1, 1, 1]);
  expect(await writesOf('LOCK')).toEqual(numbers(4));
});

test('host with a file without a journal: each stop has a transaction of its own', async () => {
  const key = await recordedRoute('JOURNAL', 3);
  const { host, taken } = watchedHost({ isAtomic: () => false });
  await replicate(key, host);
  expect(taken).toEqual([1, 1, 1]);
});

test('a worker begins no route before its turn', async () => {
  const key = await recordedRoute('WAITS', 2);
  const turn = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const worker = depot.worker({
    giveWay: () => {
      asked.resolve();
      return turn.promise;
    },
  });
  await worker.start();
  await asked.promise;
  expect(await results('WAITS')).toEqual([]);
  turn.resolve();
  await depot.untilHosted(key);
  await worker.stop();
  expect(await results('WAITS')).toHaveLength(2);
});
