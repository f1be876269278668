import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { operations } from '@tailgate/sync-protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Call, Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { syncStops } = operations;
const asJson = { 'content-type': 'application/json' };

let server: RestServer;
let driver: Signed;

beforeAll(async () => {
  server = await startRestServer();
  const stops = [plan(1), plan(999, 0)];
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops },
  ]);
  driver = await signUp(server.client, '1001');
});

beforeEach(async () => {
  await server.database.pool.query(`update stop_result set doc = '{"status":"P"}', status = 'P', version = 1`);
});

const put = (call: Call) => server.client.call(syncStops, { as: driver, ...call });
const putStops = (...stops: unknown[]) => put({ body: { id: 'R100', stops } });
const putText = (raw: string | Uint8Array<ArrayBuffer>) => put({ raw, headers: asJson });

async function nothingSaved() {
  const { rows } = await server.database.pool.query<{ saved: number }>(
    `select (select count(*) from ledger) + (select count(*) from quarantine)
          + (select count(*) from stop_result where status <> 'P') as saved`,
  );
  return rows[0]?.saved === 0;
}

const product = (updates: object) => ({ id: 1, products: [{ id: 'A', invoice: 'I', updates }] });
const malformed: [string, unknown, string][] = [
  ['an unknown status', { id: 1, updates: { status: 'X' } }, 'stops.0.updates.status'],
  ['C for a customer stop', { id: 1, updates: { status: 'C' } }, 'stops.0.updates.status'],
  ['no stop id', { updates: {} }, 'stops.0.id'],
  ['stop 0', { id: 0 }, 'stops.0.id'],
  ['stop 1000', { id: 1000 }, 'stops.0.id'],
  ['a date that is none', { id: 1, updates: { end_delivery_time: '2026-13-40' } }, 'stops.0.updates.end_delivery_time'],
  ['a latitude of 91', { id: 1, updates: { delivery_latitude: '91' } }, 'stops.0.updates.delivery_latitude'],
  ['coordinates in words', { id: 1, updates: { delivery_longitude: 'west' } }, 'stops.0.updates.delivery_longitude'],
  ['a comment of 2,001', { id: 1, updates: { driver_comments: 'x'.repeat(2001) } }, 'stops.0.updates.driver_comments'],
  ['a count as text', product({ delivered: '3' }), 'stops.0.products.0.updates.delivered'],
  ['half a case', product({ delivered: 1.5 }), 'stops.0.products.0.updates.delivered'],
  ['a negative count', product({ delivered: -1 }), 'stops.0.products.0.updates.delivered'],
  ['a count of 10,000,000', product({ returned: 10_000_000 }), 'stops.0.products.0.updates.returned'],
  ['an asset id of 15', { id: 1, updates: { signature_id: 'x'.repeat(15) } }, 'stops.0.updates.signature_id'],
  [
    'osd_code 1000',
    product({ osd_data: [{ osd_code: 1000, data: [] }] }),
    'stops.0.products.0.updates.osd_data.0.osd_code',
  ],
  ['an item id of 16', { id: 1, products: [{ id: 'x'.repeat(16) }] }, 'stops.0.products.0.id'],
  ['a blank item id', { id: 1, products: [{ id: '' }] }, 'stops.0.products.0.id'],
  ['an item id of blanks', { id: 1, collections: [{ id: '  ' }] }, 'stops.0.collections.0.id'],
  ['arrived as text', { id: 1, arrived: 'yes' }, 'stops.0.arrived'],
];

describe('contract §1: malformed bodies are 400, name the path and save nothing', () => {
  test.each(malformed)('%s', async (_, stop, path) => {
    const reply = await putStops(stop);
    expect(reply.error?.code).toBe('VALIDATION_FAILED');
    expect(reply.error?.details.map((detail) => detail.path)).toContain(path);
    expect(await nothingSaved()).toBe(true);
  });

  test('every bad path is named, and the good stop beside it is not saved', async () => {
    const reply = await putStops({ id: 1, updates: { status: 'D' } }, { id: 1, arrived: 1, updates: { status: 'X' } });
    expect(reply.error?.details.map(({ path }) => path).toSorted()).toEqual([
      'stops.1.arrived',
      'stops.1.updates.status',
    ]);
    expect(reply.message).toContain('stops.1.');
    expect(await nothingSaved()).toBe(true);
  });

  test.each([
    ['no body', null],
    ['an array', []],
    ['a number', 1],
    ['no id', { stops: [{ id: 1 }] }],
    ['no stops', { id: 'R100' }],
    ['empty stops', { id: 'R100', stops: [] }],
    ['a week_end that is not a day', { id: 'R100', week_end: '20260231', stops: [{ id: 1 }] }],
  ])('%s', async (_, body) => {
    expect((await put({ body })).error?.code).toBe('VALIDATION_FAILED');
  });

  test.each(['{"id":', '', 'id=R100', '[1,2', '{"id":"R100",}', '\u0000'])('text that is not JSON: %j', async (raw) => {
    const reply = await putText(raw);
    expect(reply.error?.code).toBe('VALIDATION_FAILED');
    // V8 would quote the text, and a text may contain a password.
    expect(reply.message).not.toContain('R100');
  });

  test('bytes that are not UTF-8', async () => {
    expect((await putText(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]))).error?.code).toBe('VALIDATION_FAILED');
  });

  test.each([
    ['NUL', String.raw`a\u0000b`],
    ['a lone high surrogate', String.raw`\ud83d`],
    ['a lone low surrogate', String.raw`x\uDE00`],
  ])('%s in a text is named by its path, also in an unknown field', async (_, escaped) => {
    const known = await putText(`{"id":"R100","stops":[{"id":1,"updates":{"driver_comments":"${escaped}"}}]}`);
    expect(known.error?.details).toEqual([
      { path: 'stops.0.updates.driver_comments', message: 'must be well-formed text without NUL' },
    ]);
    const unknown = await putText(`{"id":"R100","x":[{"y":"${escaped}"}],"stops":[{"id":1}]}`);
    expect(unknown.error?.details[0]?.path).toBe('x.0.y');
    expect(await nothingSaved()).toBe(true);
  });

  test('a pair of escaped surrogates is one character', async () => {
    const reply = await putText(
      String.raw`{"id":"R100","stops":[{"id":1,"updates":{"driver_comments":"\ud83d\ude00"}}]}`,
    );
    expect(reply.success).toBe(true);
  });

  test('unbounded nesting is refused without recursion', async () => {
    for (const raw of [
      '['.repeat(2_000_000),
      `{"id":"R100","stops":[{"id":1,"products":[{"id":"A","action":{"open_action":${'['.repeat(9_000)}${']'.repeat(9_000)}}}]}]}`,
    ])
      expect((await putText(raw)).error?.code).toBe('VALIDATION_FAILED');
  });

  test('__proto__ and constructor are ordinary names: nothing is polluted', async () => {
    const action = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const raw = `{"id":"R100","__proto__":{"stops":[]},"stops":[{"id":1,"__proto__":{"id":2},"products":[{"id":"__proto__","action":{"open_action":${action}}}]}]}`;
    const reply = await putText(raw);
    expect(reply.data).toMatchObject({ stops: [{ id: 1, result: 'applied' }] });
    expect('polluted' in {}).toBe(false);
  });
});

/** A stop with a text of this many characters, for each limit of contract §1. */
const line = (more: object) => ({ id: 1, products: [{ id: 'A', invoice: 'I', ...more }] });
const osd = (group: object, entry: object = {}) =>
  line({ updates: { osd_data: [{ osd_code: 1, data: [entry], ...group }] } });
const limits: [string, number, (text: string) => object, string][] = [
  ['item', 15, (id) => ({ id: 1, products: [{ id }] }), 'products.0.id'],
  ['invoice', 10, (invoice) => line({ invoice }), 'products.0.invoice'],
  [
    'overage barcode',
    20,
    (barcode) => ({ id: 1, updates: { overage_items: [{ barcode, osd_code: 85 }] } }),
    'updates.overage_items.0.barcode',
  ],
  ['barcode', 20, (barcodes) => osd({}, { barcodes }), 'products.0.updates.osd_data.0.data.0.barcodes'],
  ['osd_id', 6, (osd_id) => osd({ osd_id }), 'products.0.updates.osd_data.0.osd_id'],
  ['osd_parent', 6, (osd_parent) => osd({}, { osd_parent }), 'products.0.updates.osd_data.0.data.0.osd_parent'],
  ['comment of an exception', 2000, (comment) => osd({}, { comment }), 'products.0.updates.osd_data.0.data.0.comment'],
  ['action type', 10, (type) => line({ action: { type } }), 'products.0.action.type'],
  [
    'followup reason',
    3,
    (followup_reason_code) => ({ id: 1, updates: { followup_reason_code } }),
    'updates.followup_reason_code',
  ],
  [
    'skip reason',
    3,
    (skip_refuse_reason_code) => ({ id: 1, updates: { skip_refuse_reason_code } }),
    'updates.skip_refuse_reason_code',
  ],
  [
    'deliverer',
    10,
    (delivered_by_driver_id) => ({ id: 1, updates: { delivered_by_driver_id } }),
    'updates.delivered_by_driver_id',
  ],
  ['receiver', 40, (store_emp_name) => ({ id: 1, updates: { store_emp_name } }), 'updates.store_emp_name'],
  ['driver’s comment', 2000, (driver_comments) => ({ id: 1, updates: { driver_comments } }), 'updates.driver_comments'],
  [
    'skip comment',
    2000,
    (skip_refuse_driver_comment) => ({ id: 1, updates: { skip_refuse_driver_comment } }),
    'updates.skip_refuse_driver_comment',
  ],
  ['e-mail', 254, (email) => ({ id: 1, updates: { osd_emails: [email] } }), 'updates.osd_emails.0'],
];

describe('contract §1: maximum lengths', () => {
  test.each(limits)('%s may have %i characters; one more is 400', async (_, max, stop, path) => {
    expect((await putStops(stop('x'.repeat(max)))).success).toBe(true);
    const reply = await putStops(stop('x'.repeat(max + 1)));
    expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: `stops.0.${path}` }] });
  });

  test.each([
    ['id', { id: 'x'.repeat(11), stops: [{ id: 1 }] }],
    ['id', { id: ' ', stops: [{ id: 1 }] }],
    ['facility', { id: 'R100', facility: 'x'.repeat(6), stops: [{ id: 1 }] }],
  ])('%s of a route', async (path, body) => {
    expect((await put({ body })).error?.details.map((detail) => detail.path)).toEqual([path]);
  });
});

describe('contract §1: alternative spellings are read', () => {
  test.each([
    ['a stop id as text', { id: '1' }],
    ['codes as numbers and as text', osd({ osd_code: 7 }, { quantity: 9_999_999 })],
    [
      'coordinates as text, as numbers, with more decimals than six',
      { id: 1, updates: { delivery_latitude: '-41.123456789', delivery_longitude: 87 } },
    ],
    [
      'all the decimals of a double',
      { id: 1, updates: { delivery_longitude: '-87.62979799999999443116393871605396270751953125' } },
    ],
    [
      'an offset',
      {
        id: 1,
        updates: { start_delivery_time: '2026-11-20T10:00:00.5-06:00', end_delivery_time: '2026-11-20T16:00Z' },
      },
    ],
    ['a malformed skip time', { id: 1, updates: { skip_refuse_timestamp: 'about noon' } }],
    ['unknown fields', { id: 1, colour: 'red', updates: { mood: ['good'] } }],
  ])('%s', async (_, stop) => {
    expect((await putStops(stop)).success).toBe(true);
  });
});

describe('contract §1: size and media type', () => {
  test('6 MiB are 413 TOO_LARGE', async () => {
    expect((await putText(`"${'x'.repeat(6 * 1024 * 1024)}"`)).error?.code).toBe('TOO_LARGE');
  });

  test('a client that still sends an oversized body gets the answer, and may continue', async () => {
    const size = 6 * 1024 * 1024;
    const socket = connect(Number(new URL(server.client.url).port), '127.0.0.1');
    const answers = text(socket);
    const head = { host: 'x', ...driver, ...asJson, 'content-length': size };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`PUT /api/route/stop HTTP/1.1\r\n${lines.join('')}\r\n`);
    await once(socket, 'data');
    socket.write('x'.repeat(size));
    socket.write('GET /api/health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect((await answers).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  test('4 MiB are read', async () => {
    const filler = 'x'.repeat(4 * 1024 * 1024);
    expect((await put({ body: { id: 'R100', stops: [{ id: 1 }], filler } })).success).toBe(true);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data'])(
    '%s is 415',
    async (type) => {
      const reply = await put({ raw: '{"id":"R100","stops":[{"id":1}]}', headers: { 'content-type': type } });
      expect(reply.error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    },
  );

  test('application/json with a charset is read', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await put({ raw: '{"id":"R100","stops":[{"id":1}]}', headers })).success).toBe(true);
  });
});

describe('contract §1: paths', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/api'],
    ['GET', '/api/v20'],
    ['GET', '/api/v21/route'],
    ['GET', '/api/routes'],
    ['POST', '/api/route/stop'],
    ['DELETE', '/api/route'],
    ['GET', '/api/auth/signin'],
    // A missing id does not mean the list.
    ['GET', '/api/ops/quarantine/'],
    // Documented, but under the other set.
    ['GET', '/api/v20/ops/quarantine'],
  ])('%s %s is 404 NOT_FOUND', async (method, path) => {
    expect((await server.client.send(method, path, { as: driver })).error?.code).toBe('NOT_FOUND');
  });

  test.each(['/api/route/', '/api/v20/route/?x=1'])('%s: a trailing slash is ignored', async (path) => {
    expect(await server.client.send('GET', path, { as: driver })).toMatchObject({
      success: true,
      data: { id: 'R100' },
    });
  });

  test('a slash at the end of a query is not part of the path', async () => {
    const answer = await server.client.send('GET', '/api/ops/quarantine?cursor=/', { as: driver });
    expect(answer.error?.code).not.toBe('NOT_FOUND');
  });

  test('a path that cannot be decoded is answered in the envelope', async () => {
    expect((await server.client.send('GET', '/api/%zz')).error?.code).toBe('VALIDATION_FAILED');
  });

  test('a request that is not HTTP is answered in the envelope, too', async () => {
    const answer = await speak('HELO tailgate\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/x-request-id: [\w-]{36}\r\n/);
    expect(answer).toContain('"code":"VALIDATION_FAILED"');
    expect(await speak(`GET /api/health HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });
});

describe('contract §1: x-request-id', () => {
  test('a caller’s id is adopted where it is harmless, else replaced', async () => {
    const idFor = async (id: string) =>
      (await server.client.send('GET', '/api/health', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idFor('3f2c-trace.0001')).toBe('3f2c-trace.0001');
    for (const id of ['short', 'with space in it', 'x'.repeat(65), '"quoted-quoted"'])
      expect(await idFor(id)).toMatch(/^[\da-f-]{36}$/);
  });
});

/** The server's whole answer to these bytes, until it closes. */
async function speak(bytes: string): Promise<string> {
  const { port } = new URL(server.client.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}
