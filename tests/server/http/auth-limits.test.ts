import { operations } from '@tailgate/sync-protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertEmployees, password, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { signIn: signin, signUp: signup, updatePassword } = operations;
const minute = 60_000;

let server: RestServer;
let other: RestServer;
let nextEmployee = 4001;
let nextAddress = 1;

beforeAll(async () => {
  // Behind one proxy, so that a test can use any address.
  server = await startRestServer({ trustProxy: 1 });
  other = await startRestServer({ database: server.database, trustProxy: 1 });
});

beforeEach(() => {
  // Time only advances, on both nodes alike.
  later(minute);
});

function later(ms: number): void {
  const now = new Date(Math.max(server.clock.now.getTime(), other.clock.now.getTime()) + ms);
  server.clock.now = now;
  other.clock.now = now;
}

async function registered(): Promise<string> {
  const employee = String(nextEmployee++);
  await insertEmployees(server.database.pool, [employee]);
  await signUp(server.client, employee);
  return employee;
}

const newAddress = (): string => `203.0.113.${nextAddress++}`;

interface Try {
  readonly from: string;
  readonly device?: string;
  readonly on?: RestServer;
}

const enter = (employee_id: string, word: string, { from, device, on = server }: Try) =>
  on.client.call(signin, { body: { employee_id, password: word, device }, headers: { 'x-forwarded-for': from } });

async function fail(employee: string, times: number, how: Try): Promise<void> {
  for (let i = 0; i < times; i++)
    expect((await enter(employee, 'a guess', how)).error?.code, `failure ${i + 1}`).toBe('INVALID_CREDENTIALS');
}

/** Seconds to wait, where the limit refused a sign-in. */
async function waitOf(employee: string, how: Try, word = password): Promise<number | undefined> {
  const { error, headers, status } = await enter(employee, word, how);
  if (error?.code !== 'RATE_LIMITED') return undefined;
  expect(status).toBe(429);
  return Number(headers.get('retry-after'));
}

describe('contract §2: a sign-in slows down', () => {
  test('after five failures in a row, also for the right password, and doubles with each further failure', async () => {
    const [employee, from] = [await registered(), newAddress()];
    await fail(employee, 5, { from });
    expect(await waitOf(employee, { from })).toBe(2);
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 10; i++) {
      later((waits.at(-1) ?? 2) * 1_000);
      await fail(employee, 1, { from });
      waits.push(await waitOf(employee, { from }));
    }
    expect(waits).toEqual([4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    later(899_000);
    expect(await waitOf(employee, { from })).toBe(1);
    later(1_000);
    expect((await enter(employee, password, { from })).success).toBe(true);
  });

  test('a success resets the count', async () => {
    const [employee, from] = [await registered(), newAddress()];
    await fail(employee, 4, { from });
    expect((await enter(employee, password, { from })).success).toBe(true);
    await fail(employee, 5, { from });
    expect(await waitOf(employee, { from })).toBe(2);
  });

  test('other addresses and other accounts are not slowed down', async () => {
    const [employee, colleague, from] = [await registered(), await registered(), newAddress()];
    await fail(employee, 5, { from });
    expect((await enter(colleague, password, { from })).success).toBe(true);
    expect((await enter(employee, password, { from: newAddress() })).success).toBe(true);
  });

  test('on every node', async () => {
    const [employee, from] = [await registered(), newAddress()];
    await fail(employee, 3, { from });
    await fail(employee, 2, { from, on: other });
    expect(await waitOf(employee, { from })).toBe(2);
    expect(await waitOf(employee, { from, on: other })).toBe(2);
  });

  test('for an unknown id as for a known one', async () => {
    const from = newAddress();
    await fail('9999', 5, { from });
    expect(await waitOf('9999', { from })).toBe(2);
  });

  test('by the connecting address where no proxy is trusted, regardless of the request’s headers', async () => {
    const direct = await startRestServer({ database: server.database });
    direct.clock.now = server.clock.now;
    const employee = await registered();
    for (let i = 0; i < 5; i++) await fail(employee, 1, { from: newAddress(), on: direct });
    expect(await waitOf(employee, { from: newAddress(), on: direct })).toBe(2);
  });

  test('by the /64 network of an IPv6 address', async () => {
    const employee = await registered();
    for (let i = 1; i <= 5; i++) await fail(employee, 1, { from: `2001:db8:0:7::${i}` });
    expect(await waitOf(employee, { from: '2001:db8:0:7:ffff::1' })).toBe(2);
    expect((await enter(employee, password, { from: '2001:db8:0:8::1' })).success).toBe(true);
  });

  test('a known device waits for its own failures only', async () => {
    const [employee, from] = [await registered(), newAddress()];
    const own = { from, device: 'cab 12 tablet' };
    expect((await enter(employee, password, own)).success).toBe(true);
    await fail(employee, 5, { from });
    expect(await waitOf(employee, { from })).toBe(2);
    expect(await waitOf(employee, { from, device: 'an unknown phone' })).toBe(2);
    expect((await enter(employee, password, own)).success).toBe(true);
    await fail(employee, 5, own);
    expect(await waitOf(employee, own)).toBe(2);
    // Attackers who guess its name slow down themselves, at their own address.
    await fail(employee, 5, { ...own, from: newAddress() });
  });

  test('the device of the sign-up is known; that of another employee is not', async () => {
    const [employee, from] = [String(nextEmployee++), newAddress()];
    await insertEmployees(server.database.pool, [employee]);
    await server.client.take(signup, { body: { employee_id: employee, password, device: 'phone A' } });
    const colleague = await registered();
    for (const someone of [employee, colleague]) await fail(someone, 5, { from });
    expect((await enter(employee, password, { from, device: 'phone A' })).success).toBe(true);
    expect(await waitOf(colleague, { from, device: 'phone A' })).toBe(2);
  });

  test('the device that changed the password is known', async () => {
    const [employee_id, from] = [await registered(), newAddress()];
    const body = { employee_id, current_password: password, new_password: 'a better one', device: 'phone B' };
    await server.client.take(updatePassword, { body });
    await fail(employee_id, 5, { from });
    expect(await waitOf(employee_id, { from })).toBe(2);
    expect((await enter(employee_id, 'a better one', { from, device: 'phone B' })).success).toBe(true);
  });

  test('a password change does not reset it', async () => {
    const [employee_id, from] = [await registered(), newAddress()];
    const change = () =>
      server.client.call(updatePassword, {
        body: { employee_id, current_password: 'a guess', new_password: 'a better one' },
        headers: { 'x-forwarded-for': from },
      });
    for (let i = 0; i < 5; i++) expect((await change()).error?.code).toBe('INVALID_CREDENTIALS');
    expect((await change()).error?.code).toBe('RATE_LIMITED');
    expect(await waitOf(employee_id, { from })).toBe(2);
  });
});

describe('contract §2: an address with sixty failures a minute', () => {
  /** A failure for each of sixty ids, so that no account slows down by itself. */
  async function failSixtyTimes(from: string): Promise<void> {
    for (let i = 0; i < 60; i++) await fail(`X${1000 + i}`, 1, { from, on: i % 2 ? server : other });
  }

  test('waits for the next minute, for every account and on every node, except for known devices', async () => {
    const [employee, from] = [await registered(), newAddress()];
    const known = { from, device: 'cab 13 tablet' };
    expect((await enter(employee, password, known)).success).toBe(true);
    await failSixtyTimes(from);
    for (const on of [server, other]) expect(await waitOf(employee, { from, on })).toBe(60);
    expect((await enter(employee, password, known)).success).toBe(true);
    expect((await enter(employee, password, { from: newAddress() })).success).toBe(true);
    later(59_000);
    expect(await waitOf(employee, { from })).toBe(1);
    later(1_000);
    expect((await enter(employee, password, { from })).success).toBe(true);
  });

  test('cannot enumerate the ids by sign-up either', async () => {
    const from = newAddress();
    const attempt = (employee_id: string) =>
      server.client.call(signup, { body: { employee_id, password }, headers: { 'x-forwarded-for': from } });
    for (let i = 0; i < 60; i++) expect((await attempt(`Y${1000 + i}`)).error?.code).toBe('EMPLOYEE_NOT_FOUND');
    expect((await attempt('Y2000')).error?.code).toBe('RATE_LIMITED');
  });

  test('successes do not count', async () => {
    const [employee, from] = [await registered(), newAddress()];
    for (let i = 0; i < 61; i++) expect((await enter(employee, password, { from })).success).toBe(true);
  });
});
