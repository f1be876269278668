import { randomUUID } from 'node:crypto';
import { operations } from '../../../server/src/http/operations.ts';
import { beforeAll, expect, test } from 'vitest';
import { openLogger } from '../../../server/src/runtime/logger.ts';
import { mountSync } from '../../../server/src/sync/socket.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { opsToken, startRestServer } from '../../support/rest-server.ts';
import { startSmsGateway } from '../../support/sms-gateway.ts';
import { download, storeFiles } from '../../support/uploads.ts';

// Runs every operation that accepts or creates a secret, at the most detailed log level, and searches for leaks.

/** Marked, so that a part of one is found, too. */
const mark = 'sEcReT';
const password = `${mark}-first-password`;
const nextPassword = `${mark}-next-password`;
const wrong = { password: `${mark}-wrong-password`, token: `${mark}-wrong-token`, query: `${mark}-in-a-query` };
const comment = `${mark} words of a driver`;
const number = '+13125550177';

let server: RestServer;
const secrets = new Set<string>([password, nextPassword, opsToken, ...Object.values(wrong)]);
/** The id of a file grants access to it. */
const fileIds: string[] = [];
const socketLog: string[] = [];
const refusals: string[] = [];

beforeAll(async () => {
  const gateway = await startSmsGateway();
  server = await startRestServer({
    logLevel: 'trace',
    sms: { url: gateway.url },
    mount: async (app, deps) => {
      const log = openLogger('trace', { write: (line) => void socketLog.push(line) });
      await mountSync(app, { ...deps, log });
    },
  });
  const route = { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1), plan(999, 0)] };
  await insertRoutes(server.database.pool, [route]);
  await server.database.pool.query('update employee set phone = $1', [number]);

  const signed = await signAllWays((await startOtp(gateway)).otp);
  await causeErrors(signed);
  await askForFiles();
  await sayHello(signed);
});

async function startOtp(gateway: Awaited<ReturnType<typeof startSmsGateway>>) {
  keep(await server.client.take(operations.signUp, { body: { employee_id: '1001', password } }));
  await gateway.next(number);
  await server.client.take(operations.resetPassword, { body: { employee_id: '1001' } });
  const otp = /\b[A-Z2-9]{8}\b/.exec((await gateway.next(number)).text)?.[0] ?? '';
  secrets.add(otp);
  return { otp };
}

/** Every valid way. */
async function signAllWays(otp: string): Promise<Signed> {
  const { client } = server;
  const employee_id = '1001';
  keep(await client.take(operations.signIn, { body: { employee_id, password, device: 'a phone' } }));
  const session = await client.take(operations.signIn, { body: { employee_id, password: otp } });
  const body = { employee_id, current_password: otp, new_password: nextPassword };
  keep(session, await client.take(operations.updatePassword, { body }));
  const last = await client.take(operations.signIn, { body: { employee_id, password: nextPassword } });
  keep(last);
  return { employee_id, api_token: last.api_token };
}

/** Every invalid way. */
async function causeErrors(as: Signed): Promise<void> {
  const { client } = server;
  const json = { 'content-type': 'application/json' };
  const calls = [
    client.call(operations.signIn, { body: { employee_id: '1001', password: wrong.password } }),
    client.call(operations.signIn, { body: { employee_id: wrong.password, password: wrong.password } }),
    client.call(operations.signIn, { raw: `{"employee_id":"1001","password":"${wrong.password}`, headers: json }),
    client.call(operations.signIn, { raw: `{"password":"${wrong.password}","password":"x"}`, headers: json }),
    client.call(operations.signIn, { body: { employee_id: 1, password: { [wrong.password]: [wrong.password] } } }),
    client.call(operations.updatePassword, {
      body: { employee_id: '1001', current_password: nextPassword, new_password: nextPassword },
    }),
    client.call(operations.readRoute, { as: { ...as, api_token: wrong.token } }),
    client.call(operations.readRoute, { as, query: `?api_token=${wrong.query}&x=%00` }),
    client.call(operations.signOut, { body: { employee_id: '1001', api_token: wrong.token } }),
    client.call(operations.listQuarantine, { headers: { authorization: `Bearer ${wrong.token}` } }),
    client.call(operations.listQuarantine, { headers: { authorization: `Bearer ${opsToken}` } }),
    client.send('GET', `/api/nothing?token=${wrong.query}`, { as }),
    client.call(operations.syncStops, { as, body: { id: 'R404', stops: [{ id: 1 }], api_token: wrong.token } }),
    client.call(operations.syncStops, {
      as,
      body: { id: 'R100', stops: [{ id: 1, updates: { driver_comments: comment, status: 'X' } }] },
    }),
    client.call(operations.syncStops, {
      as,
      body: { id: 'R100', stops: [{ id: 1, updates: { driver_comments: comment } }] },
    }),
  ];
  for (const { success, message, data, error } of await Promise.all(calls))
    if (!success) refusals.push(JSON.stringify([message, data, error]));
}

/** By mistyped addresses, and for a file whose bytes are gone. */
async function askForFiles(): Promise<void> {
  const { client, database } = server;
  const [id = ''] = await storeFiles(client, { files: [{ name: 'a', bytes: new Uint8Array([1, 2, 3]) }] });
  fileIds.push(id);
  for (const path of [`/api/assets/raw/${id}`, `/api/v20/asset/${id}.jpg`, `/${'x/'.repeat(94)}${id}`])
    await client.send('GET', path);
  await database.pool.query('delete from asset_chunk');
  await download(client, id).catch(() => undefined);
}

async function sayHello(as: Signed): Promise<void> {
  const url = `${server.client.url.replace('http', 'ws')}/api/sync`;
  const welcome = await (await Phone.connect(url)).signOn(as, { wants_queue_key: true });
  secrets.add(welcome.queue_key ?? '');
  for (const who of [{ api_token: wrong.token }, { queue_key: wrong.token }]) {
    const phone = await Phone.connect(url, randomUUID());
    phone.hello({ employee_id: '1001', ...who });
    refusals.push(JSON.stringify(await phone.next('reject')));
  }
}

function keep(...sessions: readonly { readonly api_token: string }[]): void {
  for (const { api_token } of sessions) secrets.add(api_token);
}

test('the test used secrets to search for', async () => {
  await expect.poll(() => server.logged.join('')).toContain('has no byte');
  expect(secrets.size).toBeGreaterThan(11);
  expect([...secrets].every((secret) => secret.length >= 8)).toBe(true);
  expect(server.logged.length).toBeGreaterThan(15);
  expect(refusals.length).toBeGreaterThan(12);
});

test('contract §2: no log contains a token, a password, the id of a file or a driver’s text', () => {
  for (const text of [server.logged.join(''), socketLog.join('')])
    expect([...secrets, ...fileIds, mark, '$argon2id', number].filter((secret) => text.includes(secret))).toEqual([]);
});

test('no refusal repeats the refused value', () => {
  const text = refusals.join('\n');
  expect([...secrets, mark].filter((secret) => text.includes(secret))).toEqual([]);
});

test('contract §2: the database contains no secret in plain text, in any table or queue', async () => {
  const { pool } = server.database;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`select t::text as text from ${name} t`);
    const text = rows.map((row) => row.text).join('\n');
    for (const secret of secrets) {
      const bytes = Buffer.from(secret);
      const forms = [secret, bytes.toString('hex'), bytes.toString('base64').replaceAll('=', '')];
      if (forms.some((form) => text.includes(form))) found.push(`${name}: ${secret}`);
    }
  }
  expect(tables.length).toBeGreaterThan(20);
  // The quarantine stores requests exactly as sent, unknown members included.
  expect(found.filter((place) => !place.startsWith('public.quarantine:'))).toEqual([]);
});
