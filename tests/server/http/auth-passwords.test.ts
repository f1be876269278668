import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { insertEmployees, password, signIn, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';
import { writeModes } from '../../../server/src/modes/modes.ts';
import type { SmsGateway } from '../../support/sms-gateway.ts';
import { startSmsGateway } from '../../support/sms-gateway.ts';

const { signIn: signin, signUp: signup, updatePassword, resetPassword, readRoute, listEmployees } = operations;
const minute = 60_000;
const newPassword = 'off the road';

let server: RestServer;
let gateway: SmsGateway;
/** Each test has a driver of its own, so that no test reaches another's limits. */
let nextEmployee = 2001;

beforeAll(async () => {
  gateway = await startSmsGateway();
  server = await startRestServer({ sms: { url: gateway.url } });
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001', '1002'], stops: [plan(1)] },
  ]);
});

/** Time only advances, from test to test. */
const later = (ms: number): void => {
  server.clock.now = new Date(server.clock.now.getTime() + ms);
};

const numberOf = (employee: string): string => `312-555-${employee}`;

/** A driver who has signed up and received the text message about it. */
async function registered(employee = String(nextEmployee++)) {
  await insertEmployees(server.database.pool, [employee]).catch(() => undefined);
  await server.database.pool.query(`update employee set phone = '312-555-' || id where id = $1`, [employee]);
  const signed = await signUp(server.client, employee);
  await gateway.next(numberOf(employee));
  return signed;
}

const enter = (employee_id: string, word: string, more: object = {}) =>
  server.client.call(signin, { body: { employee_id, password: word, ...more } });
const change = (employee_id: string, current_password: string, new_password: string) =>
  server.client.call(updatePassword, { body: { employee_id, current_password, new_password } });
const ask = (employee_id: string) => server.client.call(resetPassword, { body: { employee_id } });

/** Requests a one-time password and reads it from the phone. */
async function sentCode(employee: string): Promise<string> {
  await ask(employee);
  return codeIn((await gateway.next(numberOf(employee))).text);
}

function codeIn(text: string): string {
  const words = text.match(/\b[A-Z2-9]{8}\b/g) ?? [];
  expect(words).toHaveLength(1);
  return words[0] ?? '';
}

/** The number of messages to this number, once the queue is empty. */
async function messagesTo(employee: string, { database } = server, { received } = gateway): Promise<number> {
  for (let waiting = 1; waiting > 0;) {
    const { rows } = await database.pool.query<{ n: number }>(
      `select count(*) as n from pgboss.job where name = 'sms' and state < 'completed'`,
    );
    waiting = rows[0]?.n ?? 0;
  }
  return received.filter(({ to }) => to === numberOf(employee)).length;
}

describe('contract §2: password update', () => {
  test.each(['v20', 'current'] as const)(
    'gives a token, ends the other sessions and the old password, %s',
    async (paths) => {
      const phone = await registered();
      const tablet = await signIn(server.client, phone.employee_id);
      const body = { employee_id: phone.employee_id, current_password: password, new_password: newPassword };
      const { api_token } = await server.client.take(updatePassword, { paths, body });
      for (const as of [phone, tablet])
        expect((await server.client.call(readRoute, { as })).error?.code).toBe('INVALID_TOKEN');
      const as = { employee_id: phone.employee_id, api_token };
      expect((await server.client.call(readRoute, { as })).error?.code).toBe('NO_PENDING_ROUTE');
      expect((await enter(phone.employee_id, password)).error?.code).toBe('INVALID_CREDENTIALS');
      expect(await enter(phone.employee_id, newPassword)).toMatchObject({ data: { must_change_password: false } });
    },
  );

  test('a wrong current password, an unknown, an unregistered and an inactive employee get the same 401', async () => {
    const { employee_id } = await registered();
    await insertEmployees(server.database.pool, ['3001']);
    await insertEmployees(server.database.pool, ['3002'], { active: false });
    const wrong = await change(employee_id, 'a guess', newPassword);
    expect(wrong.error).toEqual({ code: 'INVALID_CREDENTIALS', details: [] });
    for (const other of ['9999', '3001', '3002']) {
      const reply = await change(other, 'a guess', newPassword);
      expect({ error: reply.error, message: reply.message }).toEqual({ error: wrong.error, message: wrong.message });
    }
  });

  test.each([
    ['seven characters', '1234567'],
    ['129 characters', 'x'.repeat(129)],
    ['blanks', ' '.repeat(10)],
    ['the current one', password],
  ])('%s are 400 and change nothing', async (_, word) => {
    const { employee_id } = await registered();
    const reply = await change(employee_id, password, word);
    expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'new_password' }] });
    expect((await enter(employee_id, password)).success).toBe(true);
  });

  test('of two simultaneous changes one succeeds', async () => {
    const { employee_id } = await registered();
    const replies = await Promise.all(
      ['first new one', 'second new one'].map((word) => change(employee_id, password, word)),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });
});

describe('contract §2: password reset', () => {
  test.each(['v20', 'current'] as const)('sends a one-time password that signs in, once, %s', async (paths) => {
    const { employee_id } = await registered();
    const reply = await server.client.call(resetPassword, { paths, body: { employee_id } });
    expect(reply).toMatchObject({ status: 200, data: null });
    const code = codeIn((await gateway.next(numberOf(employee_id))).text);
    expect(await enter(employee_id, code)).toMatchObject({ data: { employee_id, must_change_password: true } });
    expect((await enter(employee_id, code)).error?.code).toBe('INVALID_CREDENTIALS');
  });

  test('gives the same answer for every id, and sends only to registered drivers with a phone', async () => {
    const { employee_id } = await registered();
    const known = await ask(employee_id);
    await gateway.next(numberOf(employee_id));
    await insertEmployees(server.database.pool, ['3101']);
    await insertEmployees(server.database.pool, ['3102'], { active: false });
    await server.database.pool.query(`update employee set phone = '312-555-' || id where id in ('3101', '3102')`);
    const without = await registered();
    await server.database.pool.query(`update employee set phone = '' where id = $1`, [without.employee_id]);
    for (const other of ['9999', '3101', '3102', without.employee_id])
      expect(await ask(other)).toMatchObject({ status: 200, data: null, message: known.message });
    for (const other of ['9999', '3101', '3102']) expect(await messagesTo(other)).toBe(0);
    expect(await messagesTo(without.employee_id)).toBe(1);
    expect(gateway.received.filter(({ to }) => to === '')).toEqual([]);
  });

  test('the old password counts until the one-time password is used, and not after', async () => {
    const { employee_id } = await registered();
    const code = await sentCode(employee_id);
    expect(await enter(employee_id, password)).toMatchObject({ data: { must_change_password: false } });
    expect((await enter(employee_id, code)).success).toBe(true);
    expect((await enter(employee_id, password)).error?.code).toBe('INVALID_CREDENTIALS');
  });

  test('an unused one-time password is accepted as the current one', async () => {
    const { employee_id } = await registered();
    const code = await sentCode(employee_id);
    expect((await change(employee_id, code, newPassword)).success).toBe(true);
    expect((await enter(employee_id, code)).error?.code).toBe('INVALID_CREDENTIALS');
    expect(await enter(employee_id, newPassword)).toMatchObject({ data: { must_change_password: false } });
  });

  test('it counts for the driver whom it has signed in, for a quarter of an hour', async () => {
    const { employee_id } = await registered();
    const code = await sentCode(employee_id);
    later(14 * minute);
    expect((await enter(employee_id, code)).success).toBe(true);
    later(14 * minute);
    expect((await change(employee_id, code, newPassword)).success).toBe(true);
    expect((await change(employee_id, code, 'another new one')).error?.code).toBe('INVALID_CREDENTIALS');

    const second = await sentCode(employee_id);
    expect((await enter(employee_id, second)).success).toBe(true);
    later(16 * minute);
    expect((await change(employee_id, second, password)).error?.code).toBe('INVALID_CREDENTIALS');
  });

  test('expires after 15 minutes', async () => {
    const { employee_id } = await registered();
    const code = await sentCode(employee_id);
    later(15 * minute + 1);
    expect((await enter(employee_id, code)).error?.code).toBe('INVALID_CREDENTIALS');
    expect((await enter(employee_id, password)).success).toBe(true);
  });

  test('the fifth try may succeed; after five failures none does', async () => {
    const { employee_id } = await registered();
    const tryWrong = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++)
        expect((await enter(employee_id, 'AAAA2222')).error?.code).toBe('INVALID_CREDENTIALS');
    };
    const sent = await sentCode(employee_id);
    await tryWrong(4);
    expect((await enter(employee_id, sent)).success).toBe(true);
    expect((await change(employee_id, sent, password)).success).toBe(true);

    later(minute);
    const spent = await sentCode(employee_id);
    await tryWrong(5);
    // Not refused by the slow-down, which is over by then.
    later(5_000);
    expect((await enter(employee_id, spent)).error?.code).toBe('INVALID_CREDENTIALS');
  });

  test('only the newest one-time password counts', async () => {
    const { employee_id } = await registered();
    const first = await sentCode(employee_id);
    later(minute);
    const second = await sentCode(employee_id);
    expect((await enter(employee_id, first)).error?.code).toBe('INVALID_CREDENTIALS');
    expect((await enter(employee_id, second)).success).toBe(true);
  });

  test('of two phones that use it at the same moment one is signed in', async () => {
    const { employee_id } = await registered();
    const code = await sentCode(employee_id);
    const replies = await Promise.all([1, 2, 3].map(() => enter(employee_id, code)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  });

  test('a conflict does not use it up', async () => {
    await registered('1001');
    await server.database.pool.query(`delete from session`);
    await registered('1002');
    const code = await sentCode('1001');
    expect((await enter('1001', code)).error?.code).toBe('OTHER_DRIVERS_SIGNED_IN');
    expect((await enter('1001', code, { confirm_login: true })).success).toBe(true);
  });

  test('is sent once a minute, three times an hour, ten times a day', async () => {
    const { employee_id } = await registered();
    const sent: number[] = [];
    for (let hour = 0; hour < 5; hour++) {
      for (const wait of [0, 30_000, 30_000, minute, minute]) {
        later(wait);
        expect((await ask(employee_id)).status).toBe(200);
        sent[hour] = (await messagesTo(employee_id)) - 1;
      }
      later(60 * minute);
    }
    expect(sent).toEqual([3, 6, 9, 10, 10]);
  });

  test('is stored as a hash, and in plain text in no table, queue or log', async () => {
    const { employee_id } = await registered();
    const code = await sentCode(employee_id);
    const { rows } = await server.database.pool.query<{ table: string }>(
      `select format('%I.%I', table_schema, table_name) as table from information_schema.tables
        where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
    );
    expect(rows.length).toBeGreaterThan(20);
    const stored = new Map<string, string>();
    for (const { table } of rows) {
      const { rows: texts } = await server.database.pool.query<{ all: string | null }>(
        `select string_agg(t::text, '') as all from ${table} t`,
      );
      stored.set(table, texts[0]?.all ?? '');
    }
    for (const secret of [code, password])
      expect([...stored].filter(([, text]) => text.includes(secret)).map(([table]) => table)).toEqual([]);
    expect(stored.get('public.one_time_password')).toContain('$argon2id$');
    expect(server.logged.join('')).not.toContain(code);
  });

  test('is sent again where the gateway fails, counted once, and the newest counts', async () => {
    const { employee_id } = await registered();
    gateway.answers.push(503);
    const first = await sentCode(employee_id);
    const second = codeIn((await gateway.next(numberOf(employee_id))).text);
    expect(second).not.toBe(first);
    expect((await enter(employee_id, first)).error?.code).toBe('INVALID_CREDENTIALS');
    expect((await enter(employee_id, second)).success).toBe(true);
    const { rows } = await server.database.pool.query<{ n: number }>(
      `select count(*) as n from sms_sent where employee = $1 and kind = 'one_time_password'`,
      [employee_id],
    );
    expect(rows[0]?.n).toBe(1);
  });

  test('a message that the gateway refuses for good is not retried, and an incident informs the office', async () => {
    const { employee_id } = await registered();
    gateway.answers.push(400);
    await sentCode(employee_id);
    expect(await messagesTo(employee_id)).toBe(2);
    const { rows } = await server.database.pool.query<{ details: string }>(
      `select details from incident where kind = 'sms_given_up' and employee = $1`,
      [employee_id],
    );
    expect(rows).toHaveLength(1);
  });

  test('above sixty requests a minute from one address it answers the same and does nothing', async () => {
    const { employee_id } = await registered();
    const replies = await Promise.all(Array.from({ length: 70 }, () => ask('9999')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await ask(employee_id)).status).toBe(200);
    expect(await messagesTo(employee_id)).toBe(1);
    later(minute);
    await sentCode(employee_id);
  });
});

describe('contract §2: sign-up', () => {
  test('notifies the phone on file, where there is one', async () => {
    await insertEmployees(server.database.pool, ['3201', '3202']);
    await server.database.pool.query(`update employee set phone = '312-555-3202' where id = '3202'`);
    await signUp(server.client, '3201');
    await signUp(server.client, '3202');
    expect((await gateway.next(numberOf('3202'))).text).toContain('3202');
    expect((await server.client.call(signup, { body: { employee_id: '3202', password } })).error?.code).toBe(
      'ALREADY_REGISTERED',
    );
    expect(await server.client.take(listEmployees)).toContain('3202');
    expect(await messagesTo('3201')).toBe(0);
    expect(await messagesTo('3202')).toBe(1);
  });
});

describe('contract §2: the budget of all text messages', () => {
  test('above it no one-time password is sent; a notice waits', async () => {
    const other = await startSmsGateway();
    const small = await startRestServer({ sms: { url: other.url, perHour: 1 } });
    await insertEmployees(small.database.pool, ['1001', '1002']);
    await small.database.pool.query(`update employee set phone = '312-555-' || id`);
    await signUp(small.client, '1001');
    await other.next(numberOf('1001'));
    expect((await small.client.call(resetPassword, { body: { employee_id: '1001' } })).status).toBe(200);
    // A password whose preparation spans the hour would be the next hour's only message.
    const done = `select count(*)::int as n from pgboss.job where name = 'sms' and state = 'completed'`;
    const sent = async () => (await small.database.pool.query<{ n: number }>(done)).rows;
    await expect.poll(sent, { timeout: 60_000 }).toEqual([{ n: 2 }]);
    await signUp(small.client, '1002');
    small.clock.now = new Date(small.clock.now.getTime() + 61 * minute);
    await other.next(numberOf('1002'));
    expect(other.received).toHaveLength(2);
  });
});

describe('a facility that is not live', () => {
  test.each([
    [undefined, undefined],
    ['+1 312 555 0199', '+1 312 555 0199'],
    ['driver', numberOf('1001')],
  ])('holds text messages, or sends them to SHADOW_SMS_TO (%s)', async (shadowTo, recipient) => {
    const other = await startSmsGateway();
    const shadow = await startRestServer({ sms: { url: other.url, ...(shadowTo && { shadowTo }) } });
    const { pool } = shadow.database;
    await insertEmployees(pool, ['1001']);
    await pool.query(`update employee set phone = '312-555-' || id, facility = 'F01'`);
    await writeModes(pool, { otherwise: 'live', facilities: new Map([['F01', 'shadow']]) }, new Date());
    await signUp(shadow.client, '1001');
    await messagesTo('1001', shadow, other);
    expect(other.received.map(({ to }) => to)).toEqual(recipient === undefined ? [] : [recipient]);
  });
});
