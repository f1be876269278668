import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { resetOperator, revokeOperator } from '../../../server/src/auth/operators/accounts.ts';
import { openPasswords } from '../../../server/src/auth/passwords.ts';
import { withTransaction } from '../../../server/src/db/transaction.ts';
import { opsOperations } from '../../../server/src/ops/operations.ts';
import { bearer, oneTimePassword, operatorHeaders, operatorPassword, signInOperator } from '../../support/operators.ts';
import { password as driverPassword, insertEmployees, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { opsToken, startRestServer } from '../../support/rest-server.ts';

const {
  signInOperator: signIn,
  signOutOperator,
  readCaller,
  changeOperatorPassword,
  listParked,
  listHolds,
  beginHold,
} = opsOperations;
const minute = 60_000;

let node: RestServer;
let other: RestServer;
let nextAddress = 1;

beforeAll(async () => {
  node = await startRestServer({ trustProxy: 1 });
  other = await startRestServer({ database: node.database, trustProxy: 1 });
});

beforeEach(() => later(minute));

/** Both nodes have one clock. */
function later(ms: number): void {
  const now = new Date(node.clock.now.getTime() + ms);
  node.clock.now = now;
  other.clock.now = now;
}

const codeOf = async (headers: Record<string, string>, on = node) =>
  (await on.client.call(readCaller, { headers })).error?.code;
const enter = (operator: string, password: string, from: string) =>
  node.client.call(signIn, { body: { operator, password }, headers: { 'x-forwarded-for': from } });
const newAddress = (): string => `203.0.113.${nextAddress++}`;

describe('POST /api/ops/sessions', () => {
  test('opens a session on every node, in any case of the id', async () => {
    await operatorHeaders(node, 'repair', 'MARYB');
    const { token, ...session } = await node.client.take(signIn, {
      body: { operator: 'maryb', password: operatorPassword },
    });
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(session).toEqual({
      operator: { id: 'MARYB', name: 'Clerk of repair', role: 'repair' },
      expires_at: new Date(node.clock.now.getTime() + 12 * 60 * minute).toISOString(),
      idle_minutes: 30,
      must_change_password: false,
    });
    const caller = await other.client.take(readCaller, { headers: bearer(token) });
    expect(caller).toEqual({ kind: 'operator', session, facilities: [] });
  });

  test('the caller has the facilities with the zones of their clocks', async () => {
    await node.database.pool.query(
      `insert into facility (id, name, zone) values ('F02', 'Denver', 'America/Denver'), ('F01', 'Chicago', 'America/Chicago')`,
    );
    const { facilities } = await node.client.take(readCaller, { headers: bearer(opsToken) });
    expect(facilities).toEqual([
      { id: 'F01', name: 'Chicago', zone: 'America/Chicago' },
      { id: 'F02', name: 'Denver', zone: 'America/Denver' },
    ]);
    await node.database.pool.query('delete from facility');
  });

  test('a program with OPS_TOKEN has no session', async () => {
    const headers = bearer(opsToken);
    expect(await node.client.take(readCaller, { headers })).toEqual({
      kind: 'machine',
      session: null,
      facilities: [],
    });
    await node.client.take(signOutOperator, { headers });
    expect(await codeOf(headers)).toBeUndefined();
    const body = { current_password: operatorPassword, new_password: 'another long one' };
    expect((await node.client.call(changeOperatorPassword, { headers, body })).error?.code).toBe('ROLE_REQUIRED');
  });

  test('the database has no token and no password', async () => {
    const password = await oneTimePassword(node, 'HASHED');
    const { authorization } = await signInOperator(node.client, 'HASHED', password);
    const { rows } = await node.database.pool.query<{ row: string }>(
      `select o::text as row from operator o union all select s::text from operator_session s`,
    );
    const text = rows.map(({ row }) => row).join('\n');
    expect(text).toContain('$argon2id');
    expect(text).not.toContain(password);
    expect(text).not.toContain(authorization.slice('Bearer '.length));
  });

  test('a wrong password, an unknown id and a driver get the same answer', async () => {
    await operatorHeaders(node, 'look', 'KNOWN');
    await insertEmployees(node.database.pool, ['1001']);
    const driver = await signUp(node.client, '1001');
    const wrong = await enter('KNOWN', 'not this password', newAddress());
    expect(wrong).toMatchObject({ status: 401, error: { code: 'INVALID_CREDENTIALS' } });
    const unknown = await enter('UNKNOWN', operatorPassword, newAddress());
    const aDriver = await enter('1001', driverPassword, newAddress());
    for (const reply of [unknown, aDriver])
      expect([reply.status, reply.message, reply.error]).toEqual([wrong.status, wrong.message, wrong.error]);
    expect(await codeOf(bearer(driver.api_token))).toBe('INVALID_TOKEN');
    expect(await codeOf({ employee_id: '1001', api_token: driver.api_token })).toBe('MISSING_CREDENTIALS');
  });

  test('failures slow down the account from one address, as those of a driver', async () => {
    await operatorHeaders(node, 'look', 'SLOW');
    const from = newAddress();
    for (let i = 0; i < 5; i++) expect((await enter('SLOW', 'a guess', from)).error?.code).toBe('INVALID_CREDENTIALS');
    const refused = await enter('SLOW', operatorPassword, from);
    expect(refused).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
    expect(refused.headers.get('retry-after')).toBe('2');
    expect((await enter('SLOW', operatorPassword, newAddress())).success).toBe(true);
    later(2_000);
    expect((await enter('SLOW', operatorPassword, from)).success).toBe(true);
  });

  test('sixty failures of one address slow down every account', async () => {
    const from = newAddress();
    for (let i = 0; i < 60; i++) await enter(`NOBODY${i}`, 'a guess', from);
    expect((await enter('NOBODY60', 'a guess', from)).error?.code).toBe('RATE_LIMITED');
  });

  test.each([
    [{ operator: 'MARY-B', password: 'x' }, 'operator'],
    [{ operator: 'ELEVENCHARS', password: 'x' }, 'operator'],
    [{ operator: '', password: 'x' }, 'operator'],
    [{ operator: 'MARYB' }, 'password'],
    [{ operator: 'MARYB', password: '' }, 'password'],
  ])('%j is an error that names %s', async (body, path) => {
    const { error } = await node.client.call(signIn, { body });
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path }] });
  });
});

describe('a session ends', () => {
  test('with a sign-out, on every node, and no other session with it', async () => {
    const first = await operatorHeaders(node, 'look', 'TWICE');
    const second = await signInOperator(node.client, 'TWICE');
    await node.client.take(signOutOperator, { headers: first });
    expect(await codeOf(first, other)).toBe('INVALID_TOKEN');
    expect(await codeOf(second)).toBeUndefined();
  });

  test('after 30 minutes without a request; each request extends it', async () => {
    const headers = await operatorHeaders(node, 'look', 'IDLE');
    for (let i = 0; i < 3; i++) {
      later(29 * minute);
      expect(await codeOf(headers)).toBeUndefined();
    }
    later(30 * minute);
    expect(await codeOf(headers)).toBe('INVALID_TOKEN');
  });

  test('after 12 hours, however busy it is', async () => {
    const headers = await operatorHeaders(node, 'look', 'BUSY');
    for (let i = 0; i < 12 * 60 - 20; i += 20) {
      later(20 * minute);
      expect(await codeOf(headers)).toBeUndefined();
    }
    later(20 * minute);
    expect(await codeOf(headers)).toBe('INVALID_TOKEN');
  });

  test('with the revocation of the operator, who cannot sign in again', async () => {
    const headers = await operatorHeaders(node, 'admin', 'GONE');
    const { pool } = node.database;
    expect(await withTransaction(pool, (tx) => revokeOperator(tx, 'GONE', 'npm run ops', node.clock.now))).toBe(true);
    expect(await codeOf(headers, other)).toBe('INVALID_TOKEN');
    expect((await enter('GONE', operatorPassword, newAddress())).error?.code).toBe('INVALID_CREDENTIALS');
  });
});

describe('a one-time password', () => {
  test('opens a session that can only set an own password', async () => {
    const password = await oneTimePassword(node, 'NEW', 'admin');
    expect(password).toMatch(/^([A-HJ-NP-Z2-9]{4}-){3}[A-HJ-NP-Z2-9]{4}$/);
    const headers = await signInOperator(node.client, 'NEW', password);
    expect(await node.client.take(readCaller, { headers })).toMatchObject({ session: { must_change_password: true } });
    expect((await node.client.call(listParked, { headers })).error?.code).toBe('PASSWORD_CHANGE_REQUIRED');

    const body = { current_password: password, new_password: operatorPassword };
    const changed = await node.client.take(changeOperatorPassword, { headers, body });
    expect(changed).toMatchObject({ operator: { id: 'NEW', role: 'admin' }, must_change_password: false });
    expect(await codeOf(headers)).toBe('INVALID_TOKEN');
    await node.client.take(listParked, { headers: bearer(changed.token) });
    expect((await enter('NEW', password, newAddress())).error?.code).toBe('INVALID_CREDENTIALS');
  });

  test('expires after three days', async () => {
    const password = await oneTimePassword(node, 'LATE');
    later(72 * 60 * minute - 1);
    expect((await enter('LATE', password, newAddress())).success).toBe(true);
    later(1);
    expect((await enter('LATE', password, newAddress())).error?.code).toBe('INVALID_CREDENTIALS');
  });

  test('of a reset ends the sessions and the former password', async () => {
    const headers = await operatorHeaders(node, 'look', 'RESET');
    const passwords = await openPasswords({ memoryCost: 8, timeCost: 1, parallelism: 1 });
    const made = await withTransaction(node.database.pool, (tx) =>
      resetOperator(tx, 'RESET', { passwords, now: node.clock.now }),
    );
    expect(await codeOf(headers)).toBe('INVALID_TOKEN');
    expect((await enter('RESET', operatorPassword, newAddress())).error?.code).toBe('INVALID_CREDENTIALS');
    expect((await enter('RESET', made?.password ?? '', newAddress())).success).toBe(true);
  });
});

describe('POST /api/ops/password', () => {
  test.each([
    ['too short', 'at least 12'],
    [operatorPassword, 'differ from the current'],
    ['ababababababab', 'different characters'],
    ['changes by ruler', 'name or id'],
    ['a clerk of something', 'name or id'],
  ])('refuses %s', async (new_password, words) => {
    const id = `RULER`;
    const known = (await enter(id, operatorPassword, newAddress())).success;
    const headers = known ? await signInOperator(node.client, id) : await operatorHeaders(node, 'look', id);
    const body = { current_password: operatorPassword, new_password };
    const { error } = await node.client.call(changeOperatorPassword, { headers, body });
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'new_password' }] });
    expect(error?.details[0]?.message).toContain(words);
  });

  test('needs the current password, and ends the other sessions', async () => {
    const headers = await operatorHeaders(node, 'look', 'CHANGER');
    const second = await signInOperator(node.client, 'CHANGER');
    const wrong = { current_password: 'not this one', new_password: 'brown paper parcels' };
    const refused = await node.client.call(changeOperatorPassword, { headers, body: wrong });
    expect(refused.error?.code).toBe('INVALID_CREDENTIALS');
    const body = { ...wrong, current_password: operatorPassword };
    const { token } = await node.client.take(changeOperatorPassword, { headers, body });
    expect(await codeOf(second)).toBe('INVALID_TOKEN');
    expect(await codeOf(headers)).toBe('INVALID_TOKEN');
    expect(await codeOf(bearer(token))).toBeUndefined();
  });
});

test('a role includes those below it', async () => {
  const look = await operatorHeaders(node, 'look', 'LOOK');
  const admin = await operatorHeaders(node, 'admin', 'ADMIN');
  await node.client.take(listHolds, { headers: look });
  await node.client.take(listHolds, { headers: admin });
  const refused = await node.client.call(beginHold, { headers: look, body: {} });
  expect(refused).toMatchObject({ status: 403, error: { code: 'ROLE_REQUIRED' } });
  expect(refused.message).toBe('The role admin is required; LOOK has look.');
  expect((await node.client.call(beginHold, { headers: admin, body: {} })).error?.code).toBe('VALIDATION_FAILED');
});

test('no token and no password is in the log, at any level', async () => {
  const password = await oneTimePassword(node, 'LOGGED');
  const headers = await signInOperator(node.client, 'LOGGED', password);
  await node.client.call(signIn, { body: { operator: 'LOGGED', password: 'the guess of a thief' } });
  await node.client.call(readCaller, { headers: bearer('token-of-a-thief') });
  const text = [...node.logged, ...other.logged].join('');
  expect(text).toContain('an operator has signed in');
  expect(text).toContain('/api/ops/sessions');
  const secrets = [password, operatorPassword, headers.authorization.slice(7), 'guess of a thief', 'token-of-a-thief'];
  for (const secret of secrets) expect(text).not.toContain(secret);
});
