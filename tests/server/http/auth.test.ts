import { operations } from '@tailgate/sync-protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { safeCost } from '../../../server/src/auth/passwords.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { insertEmployees, password, signIn, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { signUp: signup, signIn: signin, signOut: signout, listEmployees, readRoute } = operations;
const day = 24 * 60 * 60 * 1000;
/** 32 bytes, base64url. */
const aToken: unknown = expect.stringMatching(/^[\w-]{43}$/);

let server: RestServer;
let other: RestServer;

beforeAll(async () => {
  server = await startRestServer({ passwordCost: safeCost });
  const { pool } = server.database;
  await insertRoutes(pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001', '1002', '1003'], stops: [plan(1)] },
    { facility: 'F01', id: 'R400', weekEnd: '20261121', drivers: ['1005', '1006'], stops: [plan(1)] },
  ]);
  await insertEmployees(pool, ['1007', '1008', '1009', '1010', '1011'], { active: true });
  await insertEmployees(pool, ['1012'], { active: false });
  // A second node on the same database: it must refuse a session that the first node ended.
  other = await startRestServer({ database: server.database });
});

beforeEach(async () => {
  await server.database.pool.query('delete from session');
});

const badCases: [string, object, string][] = [
  ['no employee', { password }, 'employee_id'],
  ['no password', { employee_id: '1001' }, 'password'],
  ['a password of seven', { employee_id: '1001', password: '1234567' }, 'password'],
  ['a password of 129', { employee_id: '1001', password: 'x'.repeat(129) }, 'password'],
  ['an id of eleven', { employee_id: '12345678901', password }, 'employee_id'],
  ['an id that is a number', { employee_id: 1001, password }, 'employee_id'],
];

describe('contract §2: signup', () => {
  test.each(['v20', 'current'] as const)('registers an employee of the master, %s', async (paths) => {
    const employee = paths === 'v20' ? '1007' : '1008';
    const data = await server.client.take(signup, { paths, body: { employee_id: employee, password } });
    expect(data).toEqual({
      employee_id: employee,
      name: `Driver ${employee}`,
      api_token: aToken,
    });
    expect(await server.client.take(listEmployees, { paths })).toContain(employee);
  });

  test.each(badCases)('%s is 400 and registers no driver', async (_, body, path) => {
    const reply = await server.client.call(signup, { body });
    expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path }] });
    expect(await server.client.take(listEmployees)).not.toContain('1001');
  });

  test.each(['9999', '1012'])('%s, unknown to the master or inactive, is 404', async (employee) => {
    const reply = await server.client.call(signup, { body: { employee_id: employee, password } });
    expect(reply.error?.code).toBe('EMPLOYEE_NOT_FOUND');
  });

  test('the second of two sign-ups is 409, also for simultaneous ones', async () => {
    const replies = await Promise.all(
      [1, 2, 3].map(() => server.client.call(signup, { body: { employee_id: '1009', password } })),
    );
    expect(replies.map((reply) => reply.error?.code ?? 'signed up').toSorted()).toEqual([
      'ALREADY_REGISTERED',
      'ALREADY_REGISTERED',
      'signed up',
    ]);
  });

  test('never conflicts and ends no session', async () => {
    const first = await signUp(server.client, '1005');
    const second = await signUp(server.client, '1006');
    for (const as of [first, second]) expect((await server.client.call(readRoute, { as })).success).toBe(true);
  });

  test('stores neither the password nor the token', async () => {
    const { api_token } = await signUp(server.client, '1010');
    const { rows } = await server.database.pool.query<{ stored: string }>(
      `select (select string_agg(a::text, '') from account a) || (select string_agg(s::text, '') from session s) as stored`,
    );
    expect(rows[0]?.stored).not.toContain(password);
    expect(rows[0]?.stored).not.toContain(api_token);
    expect(rows[0]?.stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(server.logged.join('')).not.toContain(api_token);
  });
});

describe('contract §2: signin', () => {
  beforeAll(async () => {
    for (const employee of ['1001', '1002', '1003']) await signUp(server.client, employee);
  });

  test.each(['v20', 'current'] as const)('returns a token and its driver, %s', async (paths) => {
    const data = await server.client.take(signin, { paths, body: { employee_id: '1001', password, device: 'tablet' } });
    expect(data).toMatchObject({ employee_id: '1001', name: 'Driver 1001', must_change_password: false });
  });

  test('a wrong password and an unknown, unregistered or inactive employee get the same answer', async () => {
    const wrong = await server.client.call(signin, { body: { employee_id: '1001', password: 'off the road' } });
    expect(wrong.error).toEqual({ code: 'INVALID_CREDENTIALS', details: [] });
    for (const employee of ['9999', '1011', '1012']) {
      const reply = await server.client.call(signin, { body: { employee_id: employee, password } });
      expect({ error: reply.error, message: reply.message }).toEqual({ error: wrong.error, message: wrong.message });
    }
  });

  test('the same employee on a second device is no conflict; both tokens work', async () => {
    const first = await signIn(server.client, '1001');
    const second = await signIn(server.client, '1001');
    for (const as of [first, second]) expect((await server.client.call(readRoute, { as })).success).toBe(true);
  });

  test('another driver of the pending route who is signed in is a conflict', async () => {
    await signIn(server.client, '1001');
    const reply = await server.client.call(signin, { body: { employee_id: '1002', password } });
    expect(reply).toMatchObject({
      status: 409,
      message: 'other_drivers_signed_in',
      data: { other_drivers_signed_in: true, drivers: [{ id: '1001', name: 'Driver 1001' }] },
      error: { code: 'OTHER_DRIVERS_SIGNED_IN' },
    });
  });

  test('a conflict is revealed only with the right password', async () => {
    await signIn(server.client, '1001');
    const reply = await server.client.call(signin, {
      body: { employee_id: '1002', password: 'a guess', confirm_login: true },
    });
    expect(reply).toMatchObject({ error: { code: 'INVALID_CREDENTIALS' }, data: null });
    expect((await server.client.call(readRoute, { as: await signIn(server.client, '1001') })).success).toBe(true);
  });

  test('confirm_login ends the sessions of the others, on every node; a mere conflict ends none', async () => {
    const evicted = await signIn(server.client, '1001');
    for (const node of [server, other]) expect((await node.client.call(readRoute, { as: evicted })).success).toBe(true);
    const asked = await server.client.call(signin, { body: { employee_id: '1002', password, confirm_login: false } });
    expect(asked.error?.code).toBe('OTHER_DRIVERS_SIGNED_IN');

    const notified = nextNotification(other);
    const winner = await signIn(server.client, '1002', { confirm_login: true });
    expect((await server.client.call(readRoute, { as: evicted })).error?.code).toBe('INVALID_TOKEN');
    expect(await notified).toBe('1001');
    expect((await other.client.call(readRoute, { as: evicted })).error?.code).toBe('INVALID_TOKEN');
    expect((await other.client.call(readRoute, { as: winner })).success).toBe(true);
  });

  test('of drivers who sign in at the same moment one succeeds', async () => {
    const attempt = (node: RestServer, employee_id: string) =>
      node.client.call(signin, { body: { employee_id, password } });
    const replies = await Promise.all([attempt(server, '1001'), attempt(other, '1002'), attempt(server, '1003')]);
    const codes = replies.map(({ error }) => error?.code ?? 'signed in');
    expect(codes.toSorted()).toEqual(['OTHER_DRIVERS_SIGNED_IN', 'OTHER_DRIVERS_SIGNED_IN', 'signed in']);
  });

  test('twenty wait for the hash, the others get a time to retry', async () => {
    const replies = await Promise.all(
      // Each another id: no account's own failures slow it down, even for a late request.
      Array.from({ length: 60 }, (_, n) => server.client.call(signin, { body: { employee_id: `90${n}`, password } })),
    );
    const codes = replies.map((reply) => reply.error?.code);
    expect(codes.filter((code) => code === 'INVALID_CREDENTIALS').length).toBeGreaterThanOrEqual(21);
    expect(codes.filter((code) => code === 'RATE_LIMITED').length).toBeGreaterThanOrEqual(1);
    expect(new Set(codes)).toEqual(new Set(['INVALID_CREDENTIALS', 'RATE_LIMITED']));
  });
});

describe('contract §2: signout', () => {
  test('ends every session of the driver, and repeated with the same token it is 200', async () => {
    const [first, second] = [await signIn(server.client, '1005'), await signIn(server.client, '1005')];
    const reply = await server.client.call(signout, { as: first });
    expect(reply).toMatchObject({ status: 200, data: null });
    for (const as of [first, second])
      expect((await server.client.call(readRoute, { as })).error?.code).toBe('INVALID_TOKEN');
    // Some clients name a form for the body that they do not send.
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const as of [first, second]) expect((await server.client.call(signout, { as, headers })).status).toBe(200);
  });

  test('a late repeat does not end newer sessions', async () => {
    const old = await signIn(server.client, '1005');
    await server.client.take(signout, { as: old });
    const fresh = await signIn(server.client, '1005');
    await server.client.take(signout, { as: old });
    expect((await server.client.call(readRoute, { as: fresh })).success).toBe(true);
  });

  test('reads the credentials from the body, too', async () => {
    const as = await signIn(server.client, '1005');
    await server.client.take(signout, { paths: 'v20', body: as });
    expect((await server.client.call(readRoute, { as })).error?.code).toBe('INVALID_TOKEN');
  });

  test('without credentials and with a wrong or an evicted token it is 401', async () => {
    expect((await server.client.call(signout, {})).error?.code).toBe('MISSING_CREDENTIALS');
    const evicted = await signIn(server.client, '1005');
    const winner = await signIn(server.client, '1006', { confirm_login: true });
    for (const as of [{ employee_id: '1006', api_token: 'x'.repeat(43) }, { ...winner, employee_id: '1005' }, evicted])
      expect((await server.client.call(signout, { as })).error?.code).toBe('INVALID_TOKEN');
    expect((await server.client.call(readRoute, { as: winner })).success).toBe(true);
  });
});

describe('contract §1 and §2: tokens', () => {
  test('missing credentials are reported before any other fault', async () => {
    for (const headers of [{}, { employee_id: '1001' }, { api_token: 'x' }, { employee_id: '', api_token: ' ' }]) {
      const reply = await server.client.send('PUT', '/api/route/stop', { headers, raw: '{{{' });
      expect(reply.error?.code).toBe('MISSING_CREDENTIALS');
    }
  });

  test('a token counts for its own employee only', async () => {
    const as = await signIn(server.client, '1006', { confirm_login: true });
    const reply = await server.client.call(readRoute, { as: { ...as, employee_id: '1005' } });
    expect(reply.error?.code).toBe('INVALID_TOKEN');
  });

  test('headers may be spelt with hyphens', async () => {
    const { employee_id, api_token } = await signIn(server.client, '1006');
    const headers = { 'employee-id': employee_id, 'api-token': api_token };
    expect((await server.client.call(readRoute, { headers })).success).toBe(true);
  });

  test('slides 30 days with its use and ends after 90', async () => {
    // 1007 has no route that would keep the token alive: NO_PENDING_ROUTE shows that it counted.
    const start = server.clock.now;
    const seen = async (as: { employee_id: string; api_token: string }, days: number) => {
      server.clock.now = new Date(start.getTime() + days * day);
      return (await server.client.call(readRoute, { as })).error?.code;
    };
    const used = await signIn(server.client, '1007');
    const idle = await signIn(server.client, '1007');
    for (const days of [29, 58, 87, 89.9]) expect(await seen(used, days)).toBe('NO_PENDING_ROUTE');
    expect(await seen(idle, 30.1)).toBe('INVALID_TOKEN');
    expect(await seen(used, 90.1)).toBe('INVALID_TOKEN');
    server.clock.now = start;
  });

  test('does not expire while its driver has an open route, up to the 90 days', async () => {
    const start = server.clock.now;
    const as = await signIn(server.client, '1006');
    server.clock.now = new Date(start.getTime() + 89 * day);
    expect((await server.client.call(readRoute, { as })).success).toBe(true);
    server.clock.now = new Date(start.getTime() + 91 * day);
    expect((await server.client.call(readRoute, { as })).error?.code).toBe('INVALID_TOKEN');
    server.clock.now = start;
  });

  test('once expired is not revived by a later route', async () => {
    const start = server.clock.now;
    const as = await signIn(server.client, '1008');
    server.clock.now = new Date(start.getTime() + 31 * day);
    const drivers = ['1008'];
    await insertRoutes(server.database.pool, [
      { facility: 'F01', id: 'R500', weekEnd: '20261226', drivers, stops: [plan(1)] },
    ]);
    await server.database.pool.query(`update route_driver set assigned_at = $1 where route_id = 'R500'`, [
      new Date(start.getTime() + 31 * day),
    ]);
    expect((await server.client.call(readRoute, { as })).error?.code).toBe('INVALID_TOKEN');
    server.clock.now = start;
  });

  test('authentication reads the database every few seconds, not at every request', async () => {
    const as = await signIn(server.client, '1006');
    expect((await server.client.call(readRoute, { as })).success).toBe(true);
    // Behind the server's back: the server neither makes nor detects this change.
    await server.database.pool.query('update session set revoked_at = now()');
    expect((await server.client.call(readRoute, { as })).success).toBe(true);
    const start = server.clock.now;
    server.clock.now = new Date(start.getTime() + 6_000);
    expect((await server.client.call(readRoute, { as })).error?.code).toBe('INVALID_TOKEN');
    server.clock.now = start;
  });
});

/** The next session events that the other node receives. */
async function nextNotification(node: RestServer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  await node.listener.onNotify('tailgate_sessions', resolve);
  return promise;
}
