import { operations, pathSets } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { opsToken, startRestServer } from '../../support/rest-server.ts';

let server: RestServer;
let driver: Signed;

beforeAll(async () => {
  server = await startRestServer();
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1), plan(2), plan(999, 0)] },
  ]);
  driver = await signUp(server.client, '1001');
});

const osd = {
  osd_id: 'G1',
  osd_code: 10,
  data: [{ osd_parent: null, comment: '', quantity: 1, images_id: '', barcodes: '1', quantity_type: 'units' }],
};
const line = {
  id: 'ITM100000',
  invoice: 'INV1',
  required: true,
  updates: {
    delivered: 1,
    returned: 0,
    delivered_pallets: null,
    accounting_complete: true,
    image_ids: ['0123456789ABCDEF'],
    osd_data: [osd],
  },
  action: {
    type: 'scan',
    updates: { delivered: 1, osd_data: [osd] },
    open: true,
    open_action: { a: [1] },
    item_name: 'x',
    quantity: 1,
  },
};
/** A body of each kind in which everything is right. */
const bodies = [
  {
    id: 'R100',
    facility: 'F01',
    week_end: '20261121',
    stops: [
      {
        id: 1,
        arrived: true,
        updates: {
          status: 'D',
          followup: true,
          followup_reason_code: 'A',
          start_delivery_time: '2026-11-20T10:00:00Z',
          end_delivery_time: '2026-11-20T10:00:00+02:00',
          delivery_latitude: '41.5',
          delivery_longitude: -87.5,
          delivered_by_driver_id: '1001',
          store_emp_id: '',
          store_emp_name: null,
          driver_comments: 'é',
          skip_refuse_reason_code: '01',
          skip_refuse_timestamp: '',
          skip_refuse_driver_comment: '',
          signature_id: '0123456789ABCDEF',
          osd_emails: ['a@b.c'],
          overage_items: [{ barcode: '1', osd_code: 85, quantity: 1, comment: '', images_id: null }],
        },
        products: [line],
        collections: [{ ...line, id: 'TOTE', invoice: '' }],
      },
    ],
  },
  {
    route_id: 'R100',
    stop_id: 2,
    facility: 'F01',
    week_end: '20261121',
    status: 'S',
    type: 'skip',
    skip_refuse_reason_code: '01',
    skip_refuse_timestamp: 'now',
    skip_refuse_driver_comment: 'x',
  },
  { employee_id: '1001', password: 'on the road', confirm_login: true, device: 'x', api_token: 'x' },
];

const rubbish = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    -1,
    0.5,
    1e308,
    2 ** 53,
    '\0',
    '\ud800',
    '__proto__',
    'constructor',
    [],
    {},
    '',
    ' ',
    '9'.repeat(400),
    'toString',
    '\t',
    '\u0085',
    "';--",
    '%00',
    '𝄞',
  ),
);

/** Puts a value in place of one part of a body, wherever the path of choices leads. */
function spoil(value: unknown, [choice = 0, ...choices]: readonly number[], by: unknown): unknown {
  if (typeof value !== 'object' || value === null) return by;
  const parts: [string, unknown][] = Object.entries(value);
  const index = choice % (parts.length + 1);
  if (index === parts.length) return by;
  const spoilt = parts.map(([name, part], at): [string, unknown] => [
    name,
    at === index ? spoil(part, choices, by) : part,
  ]);
  if (Array.isArray(value)) return spoilt.map(([, part]) => part);
  return Object.fromEntries(spoilt);
}

const body = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom(...bodies), fc.array(fc.nat(100), { minLength: 8, maxLength: 8 }), rubbish)
      .map(([whole, choices, by]) => spoil(whole, choices, by)),
  },
  { weight: 1, arbitrary: rubbish },
);
const text = fc.oneof(
  { weight: 6, arbitrary: body.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const operation = fc.constantFrom(...Object.values(operations)).filter(({ path }) => path !== '/auth/signout');
const query = fc.oneof(
  fc.constant(''),
  fc.webQueryParameters().map((parameters) => `?${parameters}`),
);

test('contract §1: whatever is sent, the answer is a documented one and never a 5xx', async () => {
  const request = fc.record({
    operation,
    set: fc.nat(1),
    text,
    query,
    key: fc.option(fc.string({ maxLength: 250 }), { freq: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ operation: { method, path, sets }, set, text: raw, query: asked, key }) => {
      const paths = sets[set % sets.length] ?? 'current';
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${opsToken}`,
        ...(key && {
          'idempotency-key': Buffer.from(key)
            .toString('latin1')
            .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
            .trim(),
        }),
      };
      const reply = await server.client.send(method, pathSets[paths] + path, {
        as: driver,
        headers,
        query: asked,
        ...(method === 'GET' ? {} : { raw }),
      });
      expect(reply.status < 500 ? '' : server.logged.slice(-3).join('')).toBe('');
      server.logged.length = 0;
    }),
    { numRuns: 600 },
  );
}, 60_000);
