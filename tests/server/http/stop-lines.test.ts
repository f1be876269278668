import { operations } from '@tailgate/sync-protocol';
import type { StopPlan } from '@tailgate/sync-protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { readRoute, readRouteV20, syncStops } = operations;
const photo = '0123456789ABCDEF';
const other = 'FEDCBA9876543210';

let server: RestServer;
let driver: Signed;

/** MILK is on two invoices, RYE twice on one; the totes belong to an invoice, the pallets to none. */
function manifest(): StopPlan {
  const { products, collections, ...rest } = plan(1, 1);
  const [line] = products;
  const [pledge] = collections;
  if (!line || !pledge) throw new Error('a plan has lines');
  const product = (id: string, invoice: string, action_type = '') => ({
    ...line,
    id,
    invoice,
    quantity: 10,
    action_type,
  });
  return {
    ...rest,
    products: [
      product('MILK', 'A'),
      product('MILK', 'B'),
      product('RYE', 'A', 'scan'),
      product('RYE', 'A'),
      product('EGGS', 'A'),
    ],
    collections: [
      { ...pledge, id: 'TOTE', invoice: 'A' },
      { ...pledge, id: 'PALLET', invoice: '' },
    ],
  };
}

beforeAll(async () => {
  server = await startRestServer();
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [manifest(), plan(999, 0)] },
  ]);
  driver = await signUp(server.client, '1001');
});

beforeEach(async () => {
  await server.database.pool.query(`update stop_result set doc = '{"status":"P"}', status = 'P', version = 1`);
});

async function put(stop: object, paths: 'v20' | 'current' = 'current') {
  const body = { id: 'R100', stops: [{ id: 1, ...stop }] };
  const { stops } = await server.client.take(syncStops, { as: driver, paths, body });
  const [answer] = stops;
  if (!answer) throw new Error('one stop, one answer');
  return { ...answer, codes: answer.warnings.map(({ code, path }) => `${code} ${path}`) };
}
async function stopNow() {
  const { stops } = await server.client.take(readRoute, { as: driver });
  const [stop] = stops;
  if (!stop) throw new Error('the route has a stop');
  return stop;
}
const deliveredNow = async () => (await stopNow()).products.map(({ updates }) => updates.delivered);
const entry = { quantity: 1, comment: 'torn', images_id: photo, barcodes: '77' };
const group = (data: object[], more: object = {}) => ({ osd_id: 'G00001', osd_code: '10', data, ...more });

describe('the manifest line that an update means (contract §1, §4)', () => {
  test('an item on two invoices: each line has its own counts and exceptions (contract §4)', async () => {
    await put({
      products: [
        { id: 'MILK', invoice: 'A', updates: { delivered: 1, osd_data: [group([entry])] } },
        { id: 'MILK', invoice: 'B', updates: { delivered: 2 } },
      ],
    });
    const { products } = await stopNow();
    expect(products.map(({ updates }) => [updates.delivered, updates.osd_data.length])).toEqual([
      [1, 1],
      [2, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  test('two lines of one item and invoice: by occurrence, else the first, warned (contract §4)', async () => {
    const both = await put({
      products: [
        { id: 'RYE', invoice: 'A', updates: { delivered: 3 } },
        { id: 'RYE', invoice: 'A', updates: { delivered: 4 } },
      ],
    });
    expect(both.codes).toEqual([]);
    expect(await deliveredNow()).toEqual([0, 0, 3, 4, 0]);
    const one = await put({ products: [{ id: 'RYE', invoice: 'A', updates: { delivered: 5 } }] });
    expect(one.codes).toEqual(['ambiguous_line products.0']);
    expect(await deliveredNow()).toEqual([0, 0, 5, 4, 0]);
  });

  test.each(['v20', 'current'] as const)(
    'without an invoice, or with a guessed one that no GET shows: the item’s unnamed lines, in order, %s (contract §4)',
    async (paths) => {
      const lines = [
        { id: 'MILK', updates: { delivered: 1 } },
        { id: 'EGGS', invoice: paths === 'v20' ? 'B' : null, updates: { delivered: 2 } },
        { id: 'MILK', invoice: 'A', updates: { delivered: 3 } },
      ];
      const returns = [
        { id: 'TOTE', invoice: 'B', updates: { returned: 4 } },
        { id: 'PALLET', invoice: null, updates: { returned: 5 } },
      ];
      expect((await put({ products: lines, collections: returns }, paths)).codes).toEqual([]);
      expect(await deliveredNow()).toEqual([3, 1, 0, 0, 2]);
      expect((await stopNow()).collections.map(({ updates }) => updates.returned)).toEqual([4, 5]);
    },
  );

  test('one of an item’s two invoices meant, none named: the first, warned (contract §4)', async () => {
    expect((await put({ products: [{ id: 'MILK', updates: { delivered: 6 } }] })).codes).toEqual([
      'ambiguous_line products.0',
    ]);
    expect(await deliveredNow()).toEqual([6, 0, 0, 0, 0]);
  });

  test('a line that is missing or without fields is unchanged (contract §1)', async () => {
    await put({ products: [{ id: 'EGGS', invoice: 'A', updates: { delivered: 7 } }] });
    for (const products of [[], null, undefined, [{ id: 'EGGS', invoice: 'A', updates: null, action: null }]])
      await put({ products, updates: { driver_comments: JSON.stringify(products) } });
    expect(await deliveredNow()).toEqual([0, 0, 0, 0, 7]);
  });

  test('an unplanned item is stored with a warning (contract §4)', async () => {
    expect((await put({ products: [{ id: 'NOSUCH', invoice: 'A', updates: { delivered: 1 } }] })).codes).toEqual([
      'unknown_product products.0',
    ]);
  });
});

describe('exceptions (interface.md part 2, contract §4)', () => {
  test('keep their groups and entries in order, also two groups of one code; opaque values are stored as sent (contract §4)', async () => {
    const data = [
      group(
        [
          { ...entry, osd_parent: 'ÿ\u0001 x', quantity_type: 'cases' },
          { ...entry, comment: 'second' },
        ],
        { osd_id: ' é' },
      ),
      group([{ ...entry, comment: 'third' }], { osd_code: 20 }),
      group([{ ...entry, comment: 'fourth' }], { osd_id: null }),
    ];
    await put({ products: [{ id: 'EGGS', invoice: 'A', updates: { osd_data: data } }] });
    expect((await stopNow()).products[4]?.updates.osd_data).toEqual([
      {
        osd_id: ' é',
        osd_code: '10',
        data: [
          {
            osd_parent: 'ÿ\u0001 x',
            comment: 'torn',
            quantity: 1,
            images_id: photo,
            barcodes: '77',
            quantity_type: 'cases',
          },
          { osd_parent: null, comment: 'second', quantity: 1, images_id: photo, barcodes: '77', quantity_type: null },
        ],
      },
      {
        osd_id: 'G00001',
        osd_code: '20',
        data: [{ osd_parent: null, ...entry, comment: 'third', quantity_type: null }],
      },
      { osd_id: null, osd_code: '10', data: [{ osd_parent: null, ...entry, comment: 'fourth', quantity_type: null }] },
    ]);
  });

  test('a group without entries stores nothing; a new list replaces the old one (contract §4)', async () => {
    const send = (osd_data: unknown) => put({ products: [{ id: 'EGGS', invoice: 'A', updates: { osd_data } }] });
    await send([group([entry]), group([], { osd_code: '30' })]);
    expect((await stopNow()).products[4]?.updates.osd_data).toHaveLength(1);
    await send([group([{ ...entry, comment: 'only' }])]);
    expect(
      (await stopNow()).products[4]?.updates.osd_data.flatMap(({ data }) => data.map(({ comment }) => comment)),
    ).toEqual(['only']);
    await send(null);
    expect((await stopNow()).products[4]?.updates.osd_data).toEqual([]);
  });

  test('of an action are itemized: their barcodes are not stored; v20 shows the type alone (interface.md part 2)', async () => {
    const action = {
      type: 'scan',
      updates: { delivered: 2, osd_data: [group([entry])] },
      open: true,
      open_action: { a: [1] },
    };
    await put({
      products: [
        { id: 'RYE', invoice: 'A', action },
        { id: 'RYE', invoice: 'A' },
      ],
    });
    const shown = (await stopNow()).products[2]?.action;
    expect(shown).toMatchObject({
      type: 'scan',
      updates: { delivered: 2, osd_data: [{ data: [{ barcodes: '', images_id: photo }] }] },
    });
    const v20 = await server.client.take(readRouteV20, { paths: 'v20', as: driver });
    expect(v20.stops[0]?.products.map((line) => line.action)).toEqual([null, null, { type: 'scan' }, null, null]);
  });

  test('overage items carry no quantity_type and any code, in v20 others than 85 and 86 are warned about (contract §4)', async () => {
    const items = ['85', 20, '05'].map((osd_code) => ({
      barcode: '0099',
      osd_code,
      quantity: 1,
      comment: '',
      images_id: '',
    }));
    expect((await put({ updates: { overage_items: items } })).codes).toEqual([
      'unknown_code updates.overage_items.2.osd_code',
    ]);
    expect((await stopNow()).updates.overage_items).toEqual(
      ['85', '20', '05'].map((osd_code) => ({ barcode: '0099', osd_code, quantity: 1, comment: '', images_id: null })),
    );
    expect((await put({ updates: { overage_items: items, store_emp_id: '1' } }, 'v20')).codes).toEqual([
      'overage_code updates.overage_items.1.osd_code',
      'overage_code updates.overage_items.2.osd_code',
    ]);
  });
});

describe('an action (interface.md part 2, contract §4)', () => {
  const sent = (type: string | null, delivered = 0) => ({
    id: 'EGGS',
    invoice: 'A',
    action: {
      type,
      updates: { delivered, osd_data: [] },
      open: false,
      open_action: null,
      item_name: null,
      quantity: 0,
    },
  });

  test('that is empty, as apps send it with every line, makes none where none was planned (contract §4)', async () => {
    await put({ products: [sent(null)] });
    expect((await stopNow()).products[4]?.action).toBeNull();
    await put({ products: [sent(null, 2)] });
    expect((await stopNow()).products[4]?.action).toEqual({ type: '', updates: { delivered: 2, osd_data: [] } });
    await put({ products: [sent('count')] });
    expect((await stopNow()).products[4]?.action).toEqual({ type: 'count', updates: { delivered: 0, osd_data: [] } });
  });

  test('keeps its planned type where null or "" is sent; a longer one than 10 characters is 400 (contract §4)', async () => {
    for (const type of [null, '']) {
      await put({
        products: [
          { ...sent(type), id: 'RYE' },
          { ...sent('deliver'), id: 'RYE' },
        ],
      });
      expect((await stopNow()).products.slice(2, 4).map(({ action }) => action?.type)).toEqual(['scan', 'deliver']);
    }
    const stops = [{ id: 1, products: [sent('12345678901')] }];
    const reply = await server.client.call(syncStops, { as: driver, body: { id: 'R100', stops } });
    expect(reply.error?.details.map(({ path }) => path)).toEqual(['stops.0.products.0.action.type']);
  });
});

describe('null and absent (contract §1)', () => {
  test('null and "" clear a field, absent leaves it (contract §1)', async () => {
    const full = {
      store_emp_id: '7',
      store_emp_name: 'Ann',
      driver_comments: 'hello',
      followup: true,
      osd_emails: ['a@example.com'],
    };
    const filled = { ...full, overage_items: [{ barcode: '1', osd_code: 85, quantity: 1 }] };
    await put({ updates: filled });
    await put({ updates: { status: 'S' } });
    expect((await stopNow()).updates).toMatchObject(full);
    await put({
      updates: {
        store_emp_id: null,
        store_emp_name: '',
        driver_comments: null,
        followup: null,
        osd_emails: null,
        overage_items: null,
      },
    });
    expect((await stopNow()).updates).toMatchObject({
      ...{
        store_emp_id: null,
        store_emp_name: null,
        driver_comments: null,
        followup: false,
        osd_emails: [],
        overage_items: [],
      },
      status: 'S',
    });
  });

  test('counts that are cleared are 0, flags false (contract §1)', async () => {
    const line = { id: 'EGGS', invoice: 'A' };
    await put({ products: [{ ...line, updates: { delivered: 3, accounting_complete: true } }] });
    await put({
      products: [
        { ...line, updates: { delivered: null, accounting_complete: null, delivered_pallets: null, returned: null } },
      ],
    });
    expect((await stopNow()).products[4]?.updates).toMatchObject({ delivered: 0, accounting_complete: false });
  });

  test('a status or an arrival that is null changes nothing (contract §1)', async () => {
    await put({ arrived: null, updates: { status: 'D' } });
    expect(await put({ arrived: null, updates: { status: null, store_emp_id: '9' } })).toMatchObject({
      status: 'D',
      result: 'applied',
      warnings: [],
    });
  });

  test('evidence is never cleared by null, "" or a list that comes without it; image_ids only by [] (contract §1)', async () => {
    const line = { id: 'EGGS', invoice: 'A' };
    await put({
      updates: { signature_id: photo, overage_items: [{ barcode: '1', osd_code: 85, quantity: 1, images_id: photo }] },
      products: [{ ...line, updates: { image_ids: [photo, other], osd_data: [group([entry])] } }],
    });
    for (const nothing of [null, '']) {
      await put({
        updates: {
          signature_id: nothing,
          overage_items: [{ barcode: '1', osd_code: 85, quantity: 2, images_id: nothing }],
        },
        products: [
          {
            ...line,
            updates: { image_ids: nothing, osd_data: [group([{ ...entry, quantity: 2, images_id: nothing }])] },
          },
        ],
      });
      const { updates, products } = await stopNow();
      expect(updates).toMatchObject({ signature_id: photo, overage_items: [{ quantity: 2, images_id: photo }] });
      expect(products[4]?.updates).toMatchObject({
        image_ids: [photo, other],
        osd_data: [{ data: [{ quantity: 2, images_id: photo }] }],
      });
    }
    await put({ products: [{ ...line, updates: { image_ids: [] } }] });
    expect((await stopNow()).products[4]?.updates.image_ids).toBeNull();
  });

  test('image_ids come as null, one id or a list (contract §4)', async () => {
    const send = (image_ids: unknown) => put({ products: [{ id: 'EGGS', invoice: 'A', updates: { image_ids } }] });
    await send(photo);
    expect((await stopNow()).products[4]?.updates.image_ids).toEqual([photo]);
    await send([other, photo]);
    expect((await stopNow()).products[4]?.updates.image_ids).toEqual([other, photo]);
  });
});

describe('followup (contract §4)', () => {
  test.each([
    [{ followup: true }, true],
    [{ followup: false, followup_reason_code: 'F1' }, false],
    [{ followup_reason_code: 'F1' }, true],
    [{ followup_reason_code: ' ' }, false],
    [{}, false],
  ])('%j shows %s (contract §4)', async (updates, followup) => {
    await put({ updates: { store_emp_id: '1', ...updates } });
    expect((await stopNow()).updates.followup).toBe(followup);
  });
});

describe('two writers of one field (contract §4)', () => {
  test('an edit that was received earlier loses, per field, with a warning (contract §4)', async () => {
    const { clock } = server;
    const now = clock.now;
    await put({ updates: { driver_comments: 'later' } });
    clock.now = new Date(now.getTime() - 1_000);
    const stale = await put({ updates: { driver_comments: 'earlier' } });
    expect(stale).toMatchObject({ result: 'stale', codes: ['superseded updates.driver_comments'] });
    const half = await put({ updates: { driver_comments: 'earlier', store_emp_id: '5' } });
    expect(half).toMatchObject({ result: 'applied', codes: ['superseded updates.driver_comments'] });
    clock.now = now;
    expect((await stopNow()).updates).toMatchObject({ driver_comments: 'later', store_emp_id: '5' });
  });
});
