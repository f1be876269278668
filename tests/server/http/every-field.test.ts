import { routeScope } from '@tailgate/sync-protocol';
import { operations } from '../../../server/src/http/operations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Field } from '../../docs/payload-fields.ts';
import { payloads } from '../../docs/payload-fields.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { Replica } from '../../support/replica.ts';
import type { Signed } from '../../support/rest-client.ts';
import { opsToken } from '../../support/rest-server.ts';
import { readSnapshot } from '../../support/snapshot.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';

const key = { facility: 'F01', id: 'R100', week_end: '20261121' };

/** Each line a second time, on another invoice. */
const twice = <Line extends object>(lines: readonly Line[]) => [
  ...lines,
  ...lines.map((line) => ({ ...line, invoice: 'OTHER' })),
];
const onTwoInvoices = { ...plan(1), products: twice(plan(1).products), collections: twice(plan(1).collections) };

let node: SyncNode;
let driver: Signed;

beforeAll(async () => {
  node = await startSyncNode();
  await insertRoutes(node.database.pool, [
    { facility: key.facility, id: key.id, weekEnd: key.week_end, drivers: ['1001'], stops: [onTwoInvoices] },
  ]);
  driver = await signUp(node.client, '1001');
});

const all = payloads();
const bodies = Object.entries(operations).flatMap(([name, operation]) => {
  const body = all.find((each) => each.name === `${name} body`);
  return body ? [{ name, operation, fields: body.fields }] : [];
});

describe('contract §1: a field of the wrong kind is 400 and named by its path', () => {
  test.each(bodies)('each field of $name', async ({ operation, fields }) => {
    const wrongs = fields.filter(({ type }) => !type.includes('any JSON')).map(wrong);
    expect(wrongs.length).toBeGreaterThan(0);
    for (const { path, body } of wrongs)
      for (const paths of operation.sets) {
        const { error } = await node.client.call(operation, { paths, body, params, ...callerOf(operation.access) });
        expect(error?.code, `${operation.path} ${path}`).toBe('VALIDATION_FAILED');
        expect(error?.details.map((detail) => detail.path)).toContain(path);
      }
  });
});

/** The service looks up nothing before it has read the body. */
const params = {
  facility: key.facility,
  route_id: key.id,
  week_end: key.week_end,
  stop_id: '1',
  client_id: 'c',
  employee: '1001',
  parked_id: '1',
  quarantine_id: '1',
  incident_id: '1',
  hold_id: '1',
  legal_hold_id: '0197b2a8-1c2d-7e3f-8a4b-5c6d7e8f9014',
  invitation_id: '0197b2a8-1c2d-7e3f-8a4b-5c6d7e8f9012',
  link_id: '0197b2a8-1c2d-7e3f-8a4b-5c6d7e8f9013',
};

const callerOf = (access: string) => ({
  ...(access === 'driver' && { as: driver }),
  ...(access === 'operator' && { headers: { authorization: `Bearer ${opsToken}` } }),
});

/** A body that is wrong in this field, and the path that the error must name. */
function wrong({ path, type }: Field): { path: string; body: unknown } {
  const steps = (type === 'list' ? path.replace(/\[\]$/, '') : path).replaceAll('[]', '.0').split('.');
  const value: unknown = type === 'list' || type === 'object' ? 'a word' : {};
  const body = steps.reduceRight((inner, step) => (step === '0' ? [inner] : { [step]: inner }), value);
  return { path: steps.join('.'), body };
}

const image = 'A'.repeat(16);
const osd = (word: string, code: number) => ({
  osd_id: `g${word}`,
  osd_code: code,
  data: [
    {
      osd_parent: `p${word}`,
      comment: `crushed ${word}`,
      quantity: code,
      images_id: image,
      barcodes: `7${code}`,
      quantity_type: 'cases',
    },
  ],
});
const line = (word: string, count: number) => ({
  required: true,
  count_in_totes: true,
  add_photos: true,
  updates: {
    delivered: count,
    returned: count + 1,
    delivered_pallets: count + 2,
    accounting_complete: true,
    image_ids: [image],
    osd_data: [osd(word, count + 3)],
  },
  action: {
    type: `scan ${word}`,
    updates: { delivered: count + 4, osd_data: [osd(`${word}2`, count + 5)] },
    open: true,
    open_action: { any: [count] },
    item_name: `item ${word}`,
    quantity: count + 6,
  },
});
/** The stored fields of a line. */
const keptOf = ({ updates, action }: ReturnType<typeof line>) => ({
  ...updates,
  osd_data: updates.osd_data.map(keptOsd),
  action_type: action.type,
  action_delivered: action.updates.delivered,
  action_osd_data: action.updates.osd_data.map(keptOsd),
  action_quantity: action.quantity,
  open: action.open,
  open_action: action.open_action,
  item_name: action.item_name,
});
const keptOsd = (group: ReturnType<typeof osd>) => ({ ...group, osd_code: `${group.osd_code}` });

const updates = {
  status: 'D',
  followup: false,
  followup_reason_code: 'F1',
  start_delivery_time: '2026-11-20T15:00:00.000Z',
  end_delivery_time: '2026-11-20T15:30:00.000Z',
  delivery_latitude: '41.878113',
  delivery_longitude: '-87.629799',
  delivered_by_driver_id: '1001',
  store_emp_id: 'E7',
  store_emp_name: 'Ann',
  driver_comments: 'at the dock',
  skip_refuse_reason_code: '01',
  skip_refuse_timestamp: '2026-11-20T15:31:00Z',
  skip_refuse_driver_comment: 'first try',
  signature_id: image,
  osd_emails: ['a@example.com'],
  overage_items: [{ barcode: '99', osd_code: 85, quantity: 3, comment: 'extra', images_id: image }],
};

test.each(operations.syncStops.sets)(
  'the service stores every field of a stop that a driver sends, %s',
  async (set) => {
    const [product] = plan(1).products;
    const [collection] = plan(1).collections;
    if (!product || !collection) throw new Error('the plan has lines');
    await node.database.pool.query(`update stop_result set doc = '{"status":"P"}', status = 'P'`);
    const stop = {
      id: 1,
      arrived: true,
      updates,
      products: [{ id: product.id, invoice: 'OTHER', ...line('p', 10) }],
      collections: [{ id: collection.id, invoice: 'OTHER', ...line('c', 50) }],
    };
    const body = { ...key, stops: [stop] };
    const paths = bodies.find(({ name }) => name === 'syncStops')?.fields.map((field) => field.path) ?? [];
    const unsaid = paths.filter((path) => !isSaid(body, path));
    expect(unsaid, 'fields that this test does not send').toEqual([]);
    await node.client.take(operations.syncStops, { as: driver, paths: set, body });
    const replica = new Replica();
    replica.take(await readSnapshot(node, driver, routeScope(key)));
    const { status, ...others } = updates;
    expect(replica.value('result/1')).toMatchObject({
      status,
      arrived: true,
      updates: { ...others, overage_items: updates.overage_items.map((item) => ({ ...item, osd_code: '85' })) },
      products: { [`${product.id}\tOTHER\t0`]: keptOf(line('p', 10)) },
      collections: { [`${collection.id}\tOTHER\t0`]: keptOf(line('c', 50)) },
    });
  },
);

function isSaid(value: unknown, path: string): boolean {
  return path
    .replaceAll('[]', '.0')
    .split('.')
    .every((step) => {
      value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
      return value !== undefined;
    });
}
