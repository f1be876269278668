import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signIn, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import { TestQueue } from '../../support/sealing.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';

const key = { facility: 'F01', id: 'R1', week_end: '20261121' };

let node: SyncNode;
let driver: Signed;

beforeAll(async () => {
  node = await startSyncNode();
  await insertRoutes(node.database.pool, [
    { ...key, weekEnd: key.week_end, drivers: ['1001'], stops: [plan(1), plan(2)] },
  ]);
  driver = await signUp(node.client, '1001');
});

async function begin(queue = new TestQueue()) {
  const phone = await Phone.connect(node.socketUrl, queue.clientId);
  const welcome = await phone.signOn(driver);
  return { queue, phone, welcome };
}

const edit = (queue: TestQueue, comment: string, at?: Date) =>
  queue.seal('stop.update', { route: key, stop: { id: 1, updates: { driver_comments: comment } } }, at);

/** The number of readers that wait for the lock of the sessions. */
const waitsForSessions = async (): Promise<number | null> =>
  (await node.database.pool.query(`select from pg_locks where relation = 'session'::regclass and not granted`))
    .rowCount;

/** Possible contents of a lost item. */
const content = {
  id: '00000000-0000-7000-8000-000000000000',
  name: 'stop.update',
  version: 1,
  args: {},
  captured_at: '2026-11-20T12:00:00.000Z',
  boot_id: 'lost',
  monotonic_ms: 0,
};

describe('a queue over the channel', () => {
  test('is answered item by item; a repeat is a duplicate, and the next hello returns the watermark', async () => {
    const { queue, phone } = await begin();
    const items = [
      edit(queue, 'one'),
      edit(queue, 'two'),
      queue.seal('stop.update', { route: key, stop: { id: 'x' } }),
    ];
    phone.push(...items);
    const ack = await phone.next('ack');
    expect(ack).toMatchObject({ last_seq: 3 });
    expect(ack.results.map(({ seq, result }) => [seq, result])).toEqual([
      [1, 'applied'],
      [2, 'applied'],
      [3, 'quarantined'],
    ]);
    expect(ack.results[2]).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'args.stop.id' }] });
    phone.terminate();
    const again = await begin(queue);
    expect(again.welcome.last_seq).toBe(3);
    again.phone.push(...items);
    expect((await again.phone.next('ack')).results.map(({ result }) => result)).toEqual([
      'duplicate',
      'duplicate',
      'quarantined',
    ]);
  });

  test('with a gap is answered with the next expected sequence', async () => {
    const { queue, phone } = await begin();
    edit(queue, 'never sent');
    phone.push(edit(queue, 'too early'));
    expect(await phone.next('ack')).toEqual({ type: 'ack', last_seq: 0, results: [], wants: 1 });
  });

  test('with another item at a known sequence is answered as a fork', async () => {
    const { queue, phone } = await begin();
    phone.push(edit(queue, 'mine'));
    await phone.next('ack');
    phone.push({ ...edit(queue, 'of the restored phone'), seq: 1 });
    expect(await phone.next('ack')).toMatchObject({ last_seq: 1, fork: 1 });
  });

  test('that declares lost items causes an incident, and the watermark moves on', async () => {
    const { queue, phone } = await begin();
    phone.push(edit(queue, 'one'));
    edit(queue, 'lost');
    edit(queue, 'lost');
    phone.send({ type: 'gone', from: 2, to: 3, reason: 'storage was evicted' });
    phone.push(edit(queue, 'four'));
    expect(await phone.next('ack')).toMatchObject({ last_seq: 1 });
    expect(await phone.next('ack')).toMatchObject({ last_seq: 4, results: [{ seq: 4, result: 'applied' }] });
    const { rows } = await node.database.pool.query(
      `select employee, details from incident where client_id = $1 and kind = 'items_gone'`,
      [queue.clientId],
    );
    expect(rows).toEqual([
      { employee: '1001', details: JSON.stringify({ from: 2, to: 3, reason: 'storage was evicted' }) },
    ]);
  });

  test('that declares an item as lost which its copy has sent causes an incident without that item', async () => {
    const { queue, phone } = await begin();
    phone.push(edit(queue, 'of the copy'));
    edit(queue, 'lost');
    phone.send({ type: 'gone', from: 1, to: 2, reason: 'storage was "evicted"' });
    phone.push(edit(queue, 'three'));
    await phone.next('ack');
    expect(await phone.next('ack')).toMatchObject({ last_seq: 3 });
    const { rows } = await node.database.pool.query(
      `select details from incident where client_id = $1 and kind = 'items_gone'`,
      [queue.clientId],
    );
    expect(rows).toEqual([{ details: JSON.stringify({ from: 2, to: 2, reason: 'storage was "evicted"' }) }]);
  });

  test('that declares received items as lost keeps its watermark', async () => {
    const { queue, phone } = await begin();
    phone.push(edit(queue, 'one'));
    await phone.next('ack');
    phone.send({ type: 'gone', from: 1, to: 1, reason: 'mistaken' });
    phone.send({ type: 'gone', from: 5, to: 9, reason: 'beyond the next item' });
    phone.push(edit(queue, 'two'));
    expect(await phone.next('ack')).toMatchObject({ last_seq: 2 });
  });

  test('that declares more losses than it can have sent is refused, in one frame or in several', async () => {
    const { queue, phone } = await begin();
    phone.push(edit(queue, 'one'));
    await phone.next('ack');
    phone.send({ type: 'gone', from: 2, to: Number.MAX_SAFE_INTEGER, reason: 'a broken counter' });
    const details = [{ path: 'to', message: 'must not be above 10001: no later item can have been sent' }];
    expect(await phone.next('error')).toMatchObject({ code: 'BAD_FRAME', details });
    phone.send({ type: 'gone', from: 2, to: 9_000, reason: 'a part of it' });
    phone.send({ type: 'gone', from: 9_001, to: 10_002, reason: 'and the rest' });
    expect(await phone.next('error')).toMatchObject({ code: 'BAD_FRAME', details });
    const { rows } = await node.database.pool.query(
      `select (details::json ->> 'to')::int as "to" from incident where client_id = $1 and kind = 'items_gone'`,
      [queue.clientId],
    );
    expect(rows).toEqual([{ to: 9_000 }]);
    for (let n = 0; n < 8_999; n++) queue.take(content);
    phone.push(edit(queue, 'goes on', new Date(Date.now() - 3_600_000)));
    expect(await phone.next('ack')).toMatchObject({ last_seq: 9_001, results: [{ result: 'applied' }] });
    phone.send({ type: 'gone', from: 9_002, to: 19_001, reason: 'counted from the item that came' });
    phone.send({ type: 'ping' });
    await phone.next('pong');
    expect(phone.frames.filter(({ type }) => type === 'error')).toEqual([]);
  });

  test('drains after sign-out by its key; later changes are flagged', async () => {
    const queue = new TestQueue();
    const signedIn = await Phone.connect(node.socketUrl, queue.clientId);
    // The server reads the run of the phone's clocks in which the first item was recorded.
    const run = { now: node.clock.now.toISOString(), boot_id: queue.bootId, monotonic_ms: 61_000 };
    const welcome = await signedIn.signOn(driver, { clock: run });
    const before = edit(queue, 'before', new Date(Date.now() - 60_000));
    await node.client.take(operations.signOut, { as: driver });
    node.clock.now = new Date(Date.now() + 60_000);
    const after = edit(queue, 'after', new Date(Date.now() + 30_000));
    const phone = await Phone.connect(node.socketUrl, queue.clientId);
    const { queue_key = '' } = welcome;
    const clock = { now: node.clock.now.toISOString(), boot_id: 'b', monotonic_ms: 1 };
    expect(await phone.signOn({ employee_id: '1001', queue_key }, { clock })).toMatchObject({
      last_seq: 0,
      routes: [],
    });
    phone.push(before, after);
    const { results } = await phone.next('ack');
    expect(results.map(({ result, warnings }) => [result, warnings?.map(({ code }) => code)])).toEqual([
      ['applied', undefined],
      ['applied', ['after_sign_out']],
    ]);
    driver = await signIn(node.client, '1001');
  });

  test('that the database has lost is asked for a new hello, and is bound anew', async () => {
    const { queue, phone } = await begin();
    await node.database.pool.query('delete from client where client_id = $1', [queue.clientId]);
    const item = edit(queue, 'kept on the phone');
    phone.push(item);
    expect(await phone.untilClosed()).toMatchObject({ code: 1013 });
    const again = await begin(queue);
    expect(again.welcome.last_seq).toBe(0);
    again.phone.push(item);
    expect(await again.phone.next('ack')).toMatchObject({ last_seq: 1, results: [{ result: 'applied' }] });
  });

  test('that was revoked gets the reason before it ends, also where no notification comes', async () => {
    const { queue, phone } = await begin();
    const revoking = await node.database.pool.connect();
    await revoking.query('begin; lock table session in access exclusive mode');
    await node.database.pool.query('update client set revoked_at = now() where client_id = $1', [queue.clientId]);
    // The sweep of the minute waits for the sessions, and knows already that the queue is revoked.
    await expect.poll(waitsForSessions, { timeout: 60_000 }).toBeGreaterThan(1);
    await revoking.query(
      `update session set revoked_at = now(), revoked_reason = 'device_revoked' where employee = '1001' and revoked_at is null`,
    );
    await revoking.query('commit');
    revoking.release();
    expect(await phone.next('session')).toMatchObject({ state: 'revoked', reason: 'device_revoked' });
    expect(await phone.untilClosed()).toMatchObject({ code: 1013 });
    driver = await signIn(node.client, '1001');
  });

  test('of a session that ends soon is warned once', async () => {
    const { phone } = await begin();
    await node.database.pool.query(
      `update session set created_at = $1 where employee = '1001' and revoked_at is null`,
      [new Date(node.clock.now.getTime() - (90 * 24 - 2) * 3_600_000)],
    );
    const { state, expires_in_s: seconds = 0 } = await phone.next('session');
    expect([state, Math.round(seconds / 3_600)]).toEqual(['expires', 2]);
  });
});
