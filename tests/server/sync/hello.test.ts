import { createHash, randomUUID } from 'node:crypto';
import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signIn, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import { mutationId } from '../../support/sealing.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';

let node: SyncNode;
let anna: Signed;
let bert: Signed;

beforeAll(async () => {
  node = await startSyncNode();
  await insertRoutes(node.database.pool, [
    { facility: 'F01', id: 'R1', weekEnd: '20261121', drivers: ['1001', '1002'], stops: [plan(1)] },
    { facility: 'F01', id: 'R2', weekEnd: '20261128', drivers: ['1001'], stops: [plan(1)] },
  ]);
  anna = await signUp(node.client, '1001');
  bert = await signUp(node.client, '1002');
});

const connect = (clientId?: string) => Phone.connect(node.socketUrl, clientId);

describe('hello', () => {
  test('is answered with the watermark, the limits, the epoch and the routes, the pending one first', async () => {
    const phone = await connect();
    const welcome = await phone.signOn(anna);
    expect(welcome).toMatchObject({ protocol: 1, epoch: '1', last_seq: 0 });
    expect(welcome.limits).toEqual({
      frame_bytes: 1_048_576,
      mutations_per_push: 256,
      pushes_in_flight: 4,
      ping_ms: 5_000,
    });
    expect(welcome.routes).toEqual([
      { facility: 'F01', id: 'R1', week_end: '20261121', scope: 'route:F01:R1:20261121', status: 'O' },
      { facility: 'F01', id: 'R2', week_end: '20261128', scope: 'route:F01:R2:20261128', status: 'O' },
    ]);
  });

  test('must be the first frame', async () => {
    const phone = await connect();
    phone.push({});
    expect(await phone.next('error')).toMatchObject({
      code: 'BAD_FRAME',
      details: [{ path: 'type', message: 'the first frame must be hello' }],
    });
    expect((await phone.signOn(anna)).type).toBe('welcome');
  });

  test('must arrive within some seconds', async () => {
    const phone = await connect();
    node.clock.now = new Date(node.clock.now.getTime() + 6_000);
    expect(await phone.untilClosed()).toMatchObject({ code: 4005, reason: 'no hello came' });
  });

  test.each([
    ['an unsupported protocol', { protocol: 9 }, 'UNSUPPORTED_PROTOCOL', /speaks protocol 1 to 1, not 9/],
    ['the protocol 0', { protocol: 0 }, 'UNSUPPORTED_PROTOCOL', /speaks protocol 1 to 1, not 0/],
    ['a negative protocol', { protocol: -1 }, 'UNSUPPORTED_PROTOCOL', /not -1/],
    ['no credentials', { api_token: undefined }, 'MISSING_CREDENTIALS', /exactly one/],
    ['two credentials', { queue_key: 'k' }, 'MISSING_CREDENTIALS', /exactly one/],
    ['a wrong token', { api_token: 'nobody gave me this' }, 'INVALID_TOKEN', /token/],
    ["another driver's token", { employee_id: '1002' }, 'INVALID_TOKEN', /token/],
    ['a queue key without a queue', { api_token: undefined, queue_key: 'k' }, 'INVALID_TOKEN', /token/],
  ])('with %s is rejected', async (_name, more, code, message) => {
    const phone = await connect();
    phone.hello(anna, more);
    const reject = await phone.next('reject');
    expect(reject.code).toBe(code);
    expect(reject.message).toMatch(message);
    expect(await phone.untilClosed()).toMatchObject({ code: 4001, reason: code });
  });

  test.each([
    ['client_id', { client_id: 'x' }],
    // Hellos of one moment share their statements: one that PostgreSQL refuses would fail all of them.
    ['employee_id', { api_token: undefined, queue_key: 'k', employee_id: '10\0' }],
    ['clock.monotonic_ms', { clock: { now: '', boot_id: 'b', monotonic_ms: 'soon' } }],
    ['cursors.route:F01:R1:20261121.version', { cursors: { 'route:F01:R1:20261121': { epoch: '1.1', version: -1 } } }],
  ])('gets an error that names the wrong field: %s', async (path, more) => {
    const phone = await connect();
    phone.hello(anna, more);
    const error = await phone.next('error');
    expect(error.code).toBe('BAD_FRAME');
    expect(error.details.map((detail) => detail.path)).toEqual([path]);
  });

  test('of a device with a NUL in its name succeeds, and so do those of the same moment', async () => {
    const clientId = randomUUID();
    const [odd, other] = [await connect(clientId), await connect()];
    odd.hello(anna, { device: 'phone\0' });
    other.hello(bert);
    await Promise.all([odd.next('welcome'), other.next('welcome')]);
    const { rows } = await node.database.pool.query('select device from client where client_id = $1', [clientId]);
    expect(rows).toEqual([{ device: 'phone' }]);
  });

  test('may contain unknown fields', async () => {
    const phone = await connect();
    expect((await phone.signOn(anna, { from_the_future: { a: 1 } })).type).toBe('welcome');
  });
});

describe('a queue', () => {
  test('belongs to the employee who used it first', async () => {
    const clientId = randomUUID();
    await (await connect(clientId)).signOn(anna);
    const other = await connect(clientId);
    other.hello(bert);
    expect((await other.next('reject')).code).toBe('CLIENT_OF_OTHER_EMPLOYEE');
    expect((await (await connect(clientId.toUpperCase())).signOn(anna)).last_seq).toBe(0);
  });

  test('is rejected after an operator revoked it', async () => {
    const clientId = randomUUID();
    await (await connect(clientId)).signOn(anna);
    await node.database.pool.query('update client set revoked_at = now() where client_id = $1', [clientId]);
    const again = await connect(clientId);
    again.hello(anna);
    expect((await again.next('reject')).code).toBe('CLIENT_REVOKED');
  });

  test('that an operator revokes while it is open ends: at its next push, else at the next sweep', async () => {
    for (const pushes of [true, false]) {
      const phone = await connect();
      await phone.signOn(anna);
      await node.database.pool.query('update client set revoked_at = now() where client_id = $1', [phone.clientId]);
      if (pushes) phone.push({ id: mutationId(), seq: 1 });
      expect((await phone.untilClosed()).reason).toContain('say hello again');
      const { rows } = await node.database.pool.query('select last_seq from client where client_id = $1', [
        phone.clientId,
      ]);
      expect(rows).toEqual([{ last_seq: 0 }]);
      const again = await connect(phone.clientId);
      again.hello(anna);
      expect((await again.next('reject')).code).toBe('CLIENT_REVOKED');
    }
  });

  test('gets its key once; the server stores only its hash', async () => {
    const clientId = randomUUID();
    const { queue_key: key = '' } = await (await connect(clientId)).signOn(anna);
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    const { rows } = await node.database.pool.query('select queue_key_hash from client where client_id = $1', [
      clientId,
    ]);
    expect(rows).toEqual([{ queue_key_hash: createHash('sha256').update(key).digest() }]);
    expect((await (await connect(clientId)).signOn(anna)).queue_key).toBeUndefined();
  });

  test('whose welcome was lost asks for a new key, and the lost key ends', async () => {
    const clientId = randomUUID();
    const { queue_key: lost = '' } = await (await connect(clientId)).signOn(anna);
    const { queue_key = '' } = await (await connect(clientId)).signOn(anna, { wants_queue_key: true });
    expect(queue_key).not.toBe(lost);
    const withLost = await connect(clientId);
    withLost.hello({ employee_id: '1001', queue_key: lost });
    expect((await withLost.next('reject')).code).toBe('INVALID_TOKEN');
    expect((await (await connect(clientId)).signOn({ employee_id: '1001', queue_key })).routes).toEqual([]);
  });

  test('two concurrent first hellos: one receives the key, both are welcome', async () => {
    const clientId = randomUUID();
    const phones = await Promise.all([connect(clientId), connect(clientId)]);
    const keys = (await Promise.all(phones.map((phone) => phone.signOn(anna)))).map((welcome) => welcome.queue_key);
    expect(keys.filter(Boolean)).toHaveLength(1);
  });

  test('a queue key does not open another driver’s queue', async () => {
    const clientId = randomUUID();
    const { queue_key = '' } = await (await connect(clientId)).signOn(anna);
    const other = await connect(clientId);
    other.hello({ employee_id: '1002', queue_key });
    expect((await other.next('reject')).code).toBe('CLIENT_OF_OTHER_EMPLOYEE');
  });
});

describe('a session that ends', () => {
  test('is notified immediately; the queue may continue, reading stops', async () => {
    const phone = await connect();
    const { queue_key = '' } = await phone.signOn(bert, { cursors: { 'codes:all': null } });
    await phone.next('patch');
    await node.client.take(operations.signOut, { as: bert });
    expect(await phone.next('session')).toMatchObject({ state: 'revoked', reason: 'signed_out' });
    phone.send({ type: 'subscribe', cursors: { 'route:F01:R1:20261121': null, 'codes:all': null } });
    expect((await phone.next('gone')).scope).toBe('route:F01:R1:20261121');
    expect((await phone.next('gone')).scope).toBe('codes:all');
    phone.push({ id: mutationId(), seq: 1 });
    expect(await phone.next('ack')).toMatchObject({ last_seq: 1, results: [{ result: 'quarantined' }] });

    const again = await connect(phone.clientId);
    again.hello(bert);
    expect(await again.next('reject')).toMatchObject({ code: 'INVALID_TOKEN', reason: 'signed_out' });
    expect((await (await connect(phone.clientId)).signOn({ employee_id: '1002', queue_key })).type).toBe('welcome');
    bert = await signIn(node.client, '1002', { confirm_login: true });
  });

  test('is found by the sweep where its notification was lost', async () => {
    const phone = await connect();
    await phone.signOn(bert);
    await node.database.pool.query(
      `update session set revoked_at = now(), revoked_reason = 'evicted' where employee = '1002'`,
    );
    expect(await phone.next('session')).toMatchObject({ state: 'revoked', reason: 'evicted' });
  });
});
