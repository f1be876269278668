import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { Alarms } from '../../server/src/alarms/alarms.ts';
import { atFileEnd } from '../support/file-end.ts';
import { createDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';

// ALARM_URL: incidents for the operators' own systems, by a real webhook.

const { pool } = await createDatabase();
const log = recordedLog();
const received: { body: string; authorization: string | undefined; type: string | undefined }[] = [];
let answer = 204;
let requests = 0;
/** The clock of the service runs ahead by this. */
let aheadMs = 0;
async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
  requests += 1;
  const body = await text(request);
  const { authorization, 'content-type': type } = request.headers;
  const status = body.includes('unfit') ? 422 : answer;
  if (status < 300) received.push({ body, authorization, type });
  response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
}
const server = createServer((request, response) => {
  void answered(request, response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
atFileEnd(() => new Promise<void>((resolve) => server.close(() => resolve())));
const isAddress = (address: AddressInfo | string | null): address is AddressInfo =>
  typeof address === 'object' && address !== null;
const address = server.address();
const port = isAddress(address) ? address.port : 0;
const alarms = new Alarms({
  db: pool,
  url: `http://ops:se%20cret@127.0.0.1:${port}/alarm`,
  clock: () => new Date(Date.now() + aheadMs),
  log,
});
atFileEnd(() => alarms.stop());

const report = (kind: string, ago = '0 s') =>
  pool.query(
    `insert into incident (incident_id, at, kind, details) values (gen_random_uuid(), now() - $2::interval, $1, '{"file":"RTSTUP"}')`,
    [kind, ago],
  );
const kinds = () => received.map(({ body }): unknown => JSON.parse(body));

test('an incident is posted as JSON, once, with user and password as Basic authorization', async () => {
  await report('host_file_paused');
  await alarms.sendAll();
  await alarms.sendAll();
  expect(kinds()).toMatchObject([{ kind: 'host_file_paused', details: '{"file":"RTSTUP"}' }]);
  expect(received[0]).toMatchObject({
    authorization: `Basic ${Buffer.from('ops:se cret').toString('base64')}`,
    type: 'application/json',
  });
});

test.each([503, 302])(
  'a webhook that answers %i: incidents wait in their order, and one warning says so',
  async (status) => {
    received.length = 0;
    answer = status;
    await report('first', '2 s');
    await report('second', '1 s');
    await alarms.sendAll();
    await alarms.sendAll();
    expect(received).toEqual([]);
    answer = 204;
    await alarms.sendAll();
    expect(kinds()).toMatchObject([{ kind: 'first' }, { kind: 'second' }]);
    const warnings = log.lines.filter(({ level }) => level === 'warn');
    expect(warnings).toHaveLength(status === 503 ? 1 : 2);
    expect(JSON.stringify(warnings)).not.toContain('cret');
  },
);

test('an incident that the webhook refuses for its content is logged, and holds up no later one', async () => {
  received.length = 0;
  await report('unfit', '2 s');
  await report('next', '1 s');
  await alarms.sendAll();
  await alarms.sendAll();
  expect(kinds()).toMatchObject([{ kind: 'next' }]);
  const refused = log.lines.filter(({ level }) => level === 'error');
  expect(refused).toMatchObject([{ fields: { kind: 'unfit', status: 422 } }]);
  requests = 0;
  await alarms.sendAll();
  expect(requests).toBe(0);
});

test('incidents that the webhook refuses let a later one pass, and a lone one is tried again ten minutes later', async () => {
  received.length = 0;
  log.lines.length = 0;
  requests = 0;
  for (let n = 0; n < 20; n++) await report('unfit', '2 s');
  await alarms.sendAll();
  await alarms.sendAll();
  expect(requests).toBe(20);
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(20);
  await report('log_stalled', '1 s');
  await alarms.sendAll();
  expect(kinds()).toMatchObject([{ kind: 'log_stalled' }]);
  await alarms.sendAll();
  expect(requests).toBe(41);
  requests = 0;
  aheadMs = 600_000;
  await alarms.sendAll();
  expect(requests).toBe(0);
  await report('unfit');
  await alarms.sendAll();
  await alarms.sendAll();
  expect(requests).toBe(1);
  aheadMs += 600_000;
  await alarms.sendAll();
  expect(requests).toBe(2);
  await pool.query(`update incident set acknowledged_at = now(), acknowledged_by = 'ANN', note = '-'`);
});

test('a webhook that refuses each incident in such words: they wait until it is set up', async () => {
  received.length = 0;
  log.lines.length = 0;
  answer = 400;
  await report('unfit', '3 s');
  await report('first', '2 s');
  await report('second', '1 s');
  await alarms.sendAll();
  await alarms.sendAll();
  answer = 204;
  aheadMs += 600_000;
  await alarms.sendAll();
  await alarms.sendAll();
  expect(kinds()).toMatchObject([{ kind: 'first' }, { kind: 'second' }]);
  const refused = log.lines.map(({ level, fields }) => [level, fields]);
  expect(refused).toMatchObject([
    ['error', { kind: 'unfit', status: 422 }],
    ['error', { kind: 'first', status: 400 }],
    ['error', { kind: 'second', status: 400 }],
    ['warn', { kind: 'unfit', status: 422 }],
  ]);
});

test('an acknowledged incident and one of the day before are no news', async () => {
  received.length = 0;
  await report('old', '25 hours');
  await report('done');
  await pool.query(
    `update incident set acknowledged_at = now(), acknowledged_by = 'ANN', note = '-' where kind = 'done'`,
  );
  await alarms.sendAll();
  expect(received).toEqual([]);
});
