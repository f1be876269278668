import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

// The transfer of GET route: the parts that fetch hides.

let server: RestServer;
let driver: Signed;
let mate: Signed;

beforeAll(async () => {
  server = await startRestServer();
  const stops = [...Array.from({ length: 30 }, (_, n) => plan(n + 1, 20)), plan(999, 0)];
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001', '1002'], stops },
  ]);
  driver = await signUp(server.client, '1001');
  mate = await signUp(server.client, '1002');
});

interface Wire {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

function get(
  headers: Record<string, string> = {},
  { path = '/api/route', method = 'GET', as = driver } = {},
): Promise<Wire> {
  const answered = Promise.withResolvers<Wire>();
  const sent = request(`${server.client.url}${path}`, { method, headers: { ...as, ...headers } });
  sent.on('error', answered.reject).on('response', (response) => {
    buffer(response).then(
      (body) => answered.resolve({ status: response.statusCode, headers: response.headers, body }),
      answered.reject,
    );
  });
  sent.end();
  return answered.promise;
}

const tagOf = ({ headers }: Wire): string => String(headers['etag']);
const comment = (driver_comments: string) =>
  server.client.take(operations.syncStops, {
    as: driver,
    body: { id: 'R100', stops: [{ id: 1, updates: { driver_comments } }] },
  });

describe.each(['/api/route', '/api/v20/route'])('GET %s', (path) => {
  test('comes in the client’s preferred encoding, else uncompressed, and always equal (contract §4)', async () => {
    const whole = await get({}, { path });
    const text = whole.body.toString();
    expect(whole.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-cache',
    });
    expect(whole.headers['content-encoding']).toBeUndefined();
    const cases = [
      ['gzip', 'gzip'],
      ['br;q=1, gzip;q=0.2', 'br'],
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0.1, gzip;q=0.9', 'gzip'],
      ['*', 'br'],
      ['deflate', undefined],
      ['identity', undefined],
      ['br;q=0, gzip;q=0', undefined],
      ['', undefined],
    ] as const;
    for (const [accepted, encoding] of cases) {
      const wire = await get({ 'accept-encoding': accepted }, { path });
      expect([accepted, wire.headers['content-encoding']]).toEqual([accepted, encoding]);
      expect(String(wire.headers['vary'])).toContain('accept-encoding');
      const opened =
        encoding === 'br' ? brotliDecompressSync(wire.body) : encoding === 'gzip' ? gunzipSync(wire.body) : wire.body;
      expect(opened.toString()).toBe(text);
      expect(wire.body.length).toBeLessThan(encoding ? whole.body.length / 8 : whole.body.length + 1);
    }
  });

  test('has a tag for each representation; a client with the tag gets 304 without a body (contract §4)', async () => {
    for (const accepted of ['br', 'gzip', 'identity']) {
      const first = await get({ 'accept-encoding': accepted }, { path });
      expect(tagOf(first)).toMatch(/^"[\w-]{22,}"$/);
      for (const known of [tagOf(first), `W/${tagOf(first)}`, `"x", ${tagOf(first)}`, '*']) {
        const again = await get({ 'accept-encoding': accepted, 'if-none-match': known }, { path });
        expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) });
        expect(tagOf(again)).toBe(tagOf(first));
      }
      expect(await get({ 'accept-encoding': accepted, 'if-none-match': '"x"' }, { path })).toMatchObject({
        status: 200,
      });
    }
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map((each) => get({ 'accept-encoding': each }, { path })),
    );
    expect(new Set(tags.map(tagOf)).size).toBe(3);
  });

  test('a change gives another answer and tag; without one the tag is the same, for both drivers (contract §4)', async () => {
    const before = await get({}, { path });
    expect(tagOf(await get({}, { path, as: mate }))).toBe(tagOf(before));
    await comment(`changed for ${path}`);
    const after = await get({ 'if-none-match': tagOf(before) }, { path });
    expect(after.status).toBe(200);
    expect(after.body.toString()).toContain(`changed for ${path}`);
    expect(await get({ 'if-none-match': tagOf(after) }, { path })).toMatchObject({ status: 304 });
  });
});

describe('fields are in the documented order (interface.md part 2)', () => {
  // Names in order, those of objects inside lists once.
  const namesOf = (value: unknown): string => {
    if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${namesOf(value[0])}]`;
    if (typeof value !== 'object' || value === null) return '';
    return `{${Object.entries(value)
      .map(([name, inner]) => `${name}${namesOf(inner)}`)
      .join(' ')}}`;
  };
  const frame = (products: string, collections: string) =>
    `{success message data{id facility name week_end last_updated drivers[{id name type}] stops[{id type ` +
    `updates{status followup delivered_by_driver_id store_emp_id store_emp_name driver_comments signature_id osd_emails[] overage_items[{barcode osd_code quantity comment images_id}]} ` +
    `osd_emails[] customer{id name verify_returns contact{phone email contact_email salesrep{id name phone}} location{address[] city state zip coordinates{latitude longitude}}} ` +
    `invoices[{id date}] products[${products}] collections[${collections}]}]} meta{version arrived autoclose_at forceclose_at}}`;
  const osd = 'osd_data[{osd_id osd_code data[{osd_parent comment quantity images_id barcodes quantity_type}]}]';

  test.each([
    [
      '/api/route',
      frame(
        `{id name description invoice quantity box_upc item_upc section updates{delivered accounting_complete image_ids[] ${osd}} action{type updates{delivered osd_data[]}}}`,
        '{id name description required count_in_totes add_photos container_type section quantity updates{returned osd_data[]} action{type updates{delivered osd_data[]}}}',
      ),
    ],
    [
      '/api/v20/route',
      frame(
        '{id name description required count_in_totes add_photos container_type section quantity action{type}}',
        '{id name description required count_in_totes add_photos container_type section quantity action{type}}',
      ),
    ],
  ])('%s (interface.md part 2, 4.4)', async (path, names) => {
    const osd_data = [{ osd_code: 10, data: [{ quantity: 1 }] }];
    const action = { type: 'scan', updates: { delivered: 1 } };
    const products = [
      { id: 'ITM100000', invoice: 'INV1', updates: { image_ids: '0123456789ABCDEF', osd_data }, action },
    ];
    const overage_items = [{ barcode: '9', osd_code: 85, quantity: 1 }];
    const stops = [{ id: 1, updates: { overage_items }, products }];
    await server.client.take(operations.syncStops, { as: driver, body: { id: 'R100', stops } });
    const body: unknown = JSON.parse((await get({}, { path })).body.toString());
    expect(namesOf(body)).toBe(names);
  });
});
