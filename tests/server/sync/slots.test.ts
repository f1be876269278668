import { beforeAll, describe, expect, test } from 'vitest';
import { Slots } from '../../../server/src/sync/slots.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';

describe('the reconnect slots of phones', () => {
  const take = (slots: Slots, count: number, now: number) => Array.from({ length: count }, () => slots.next(now));

  test('are one for each phone, evenly apart, the first a second away', () => {
    const slots = new Slots(5, 30_000);
    expect(take(slots, 4, 100_000)).toEqual([1_000, 1_005, 1_010, 1_015]);
    expect(take(slots, 1, 100_012)).toEqual([1_008]);
    expect(take(slots, 1, 200_000)).toEqual([1_000]);
  });

  test('spread any number of phones over the round, none later than its end', () => {
    const moments = take(new Slots(5, 30_000), 20_000, 0);
    expect(Math.max(...moments)).toBeLessThan(31_000);
    const inSecond = new Map<number, number>();
    for (const ms of moments) inSecond.set(Math.floor(ms / 1_000), (inSecond.get(Math.floor(ms / 1_000)) ?? 0) + 1);
    const busiest = Math.max(...inSecond.values());
    expect(busiest).toBe(800);
  });
});

describe('a node', () => {
  let node: SyncNode;
  let driver: Signed;
  beforeAll(async () => {
    node = await startSyncNode({ limits: { hellos_at_once: 2 } });
    await insertEmployees(node.database.pool, ['1001']);
    driver = await signUp(node.client, '1001');
  });

  test('refuses hellos above its limit, each with another slot', async () => {
    const phones = await Promise.all(Array.from({ length: 6 }, () => Phone.connect(node.socketUrl)));
    const locker = await node.database.pool.connect();
    await locker.query('begin');
    await locker.query('lock table client');
    for (const phone of phones) phone.hello(driver);
    const answers = phones.map((phone) => phone.either('welcome', 'reject'));
    // Two of them wait for the table.
    const first = await firstOf(answers, 4);
    expect(first.map((frame) => (frame.type === 'reject' ? frame.code : frame.type))).toEqual(
      first.map(() => 'RATE_LIMITED'),
    );
    expect(new Set(first.map((frame) => frame.type === 'reject' && frame.retry_after_ms)).size).toBe(4);
    await locker.query('rollback');
    locker.release();
    const kinds = (await Promise.all(answers)).map(({ type }) => type);
    expect(kinds.filter((type) => type === 'welcome')).toHaveLength(2);
    // There is capacity again.
    const later = await Phone.connect(node.socketUrl);
    await later.signOn(driver);
  });

  test('gives each phone its slot before it stops', async () => {
    const phones: Phone[] = [];
    for (let i = 0; i < 3; i++) {
      const phone = await Phone.connect(node.socketUrl);
      await phone.signOn(driver);
      phones.push(phone);
    }
    node.hub.closeConnections();
    const goodbyes = await Promise.all(phones.map((phone) => phone.next('goodbye')));
    for (const phone of phones) expect((await phone.untilClosed()).code).toBe(1001);
    const moments = goodbyes.map(({ retry_after_ms }) => retry_after_ms);
    expect(Math.min(...moments)).toBeGreaterThanOrEqual(1_000);
    expect(new Set(moments).size).toBe(3);
  });
});

/** Resolves with the first values that arrive. */
function firstOf<Value>(promises: readonly Promise<Value>[], count: number): Promise<Value[]> {
  return new Promise((resolve, reject) => {
    const come: Value[] = [];
    for (const promise of promises)
      promise.then((value) => {
        if (come.push(value) === count) resolve([...come]);
        return value;
      }, reject);
  });
}
