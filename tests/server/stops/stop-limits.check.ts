import type { RouteKey, StopObjectInput, StopResult } from '@tailgate/sync-protocol';
import {
  applyStopUpdate,
  maxLineDetail,
  maxUnknownLines,
  maxUnknownLinesOfRoute,
  stopObject,
} from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { toItem } from '../../../client-sdk/src/queue/item.ts';
import { draftUpdate } from '../../../client-sdk/src/queue/record.ts';
import { applyItem } from '../../../client-sdk/src/replica/intent.ts';
import { maxFlaggedRows } from '../../../server/src/stops/osd-rows.ts';
import { readPlan, readResult } from '../../../server/src/stops/stored-documents.ts';
import { openDepot } from '../../support/depot.ts';

const depot = await openDepot();
const { pool } = depot.database;

const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `X${from + i}`, invoice: 'I1', updates: { delivered: 1 } }));
const planned = { id: 'ITEM1', invoice: 'INV1', updates: { delivered: 4 } };

/** The effect of a driver's change: whether any value changed, and the paths above a limit. */
async function record(key: RouteKey, stop: StopObjectInput) {
  const outcome = await depot.record(key, stop);
  if (outcome.result === 'quarantined') throw new Error(outcome.reason);
  const above = outcome.warnings.filter(({ code }) => code === 'too_many_lines');
  return { ...outcome, above: above.map(({ path }) => path), words: above[0]?.message };
}

async function resultOf({ id }: RouteKey, stop = 1): Promise<StopResult> {
  const { rows } = await pool.query<{ doc: string }>(
    'select doc from stop_result where route_id = $1 and stop_id = $2',
    [id, stop],
  );
  return readResult(rows[0]?.doc ?? '');
}

async function unknownLinesOf({ id }: RouteKey): Promise<number | undefined> {
  const { rows } = await pool.query<{ unknown_lines: number }>('select unknown_lines from route where id = $1', [id]);
  return rows[0]?.unknown_lines;
}

test('values above a limit are in the ledger with a warning, and the plan still counts', async () => {
  const key = await depot.addRoute('LIMIT', [1]);
  await record(key, { id: 1, products: lines(0, maxUnknownLines - 100) });
  const more = await record(key, {
    id: 1,
    updates: { status: 'D' },
    products: [...lines(1_000, 101), planned, { id: 'X0', invoice: 'I1', updates: { delivered: 7 } }],
  });
  expect(more).toMatchObject({ result: 'applied', status: 'D', above: ['products.100'] });
  expect(more.words).toBe('a stop keeps 500 lines that its plan does not have, a route 5000');

  const again = await record(key, { id: 1, products: lines(5_000, 2) });
  expect(again).toMatchObject({ result: 'applied', changed: false });

  const { products = {} } = await resultOf(key);
  expect(Object.keys(products)).toHaveLength(maxUnknownLines + 1);
  expect(products['ITEM1\tINV1\t0']).toMatchObject({ delivered: 4 });
  expect(products['X0\tI1\t0']).toMatchObject({ delivered: 7 });
  const kept = await pool.query<{ body: string; warnings: string }>(
    `select body, warnings from ledger where route_id = 'LIMIT' order by version, received_at`,
  );
  expect(kept.rows.some(({ body, warnings }) => body.includes('X5001') && warnings.includes('too_many_lines'))).toBe(
    true,
  );
  await depot.replicateOnce(key);
  expect(await depot.show('RTPRUP', "RQRTE = 'LIMIT'")).toHaveLength(maxUnknownLines + 1);
});

test('an omitted line keeps its place among equal ones', () => {
  const products = Object.fromEntries(
    lines(0, maxUnknownLines).map(({ id, invoice }) => [`${id}\t${invoice}\t0`, { id, invoice, n: 0, delivered: 1 }]),
  );
  const sent = z.parse(stopObject, {
    id: 1,
    products: [1, 2].map((delivered) => ({ ...planned, updates: { delivered } })),
  });
  const isPlanned = (_kind: string, id: string, _invoice: string, n: number) => id === 'ITEM1' && n === 1;
  const stamp = { at: 1, client: 'c', seq: 1, by: '1001' };
  const { result, remarks } = applyStopUpdate({ status: 'P', products }, sent, stamp, { isPlanned });
  expect(result.products).toEqual({
    ...products,
    'ITEM1\tINV1\t1': { id: 'ITEM1', invoice: 'INV1', n: 1, delivered: 2 },
  });
  expect(remarks).toEqual([{ code: 'too_many_lines', path: 'products.0' }]);
});

test('25 updates of 2,000 unknown products leave a bounded document and a bounded number of host rows', async () => {
  const key = await depot.addRoute('FLOOD', [1]);
  for (let i = 0; i < 25; i++) await record(key, { id: 1, products: lines(i * 2_000, 2_000) });
  expect(Object.keys((await resultOf(key)).products ?? {})).toHaveLength(maxUnknownLines);
  await depot.replicateOnce(key);
  expect(await depot.show('RTPRUP', "RQRTE = 'FLOOD'")).toHaveLength(maxUnknownLines);
});

test('exceptions that replace others again and again leave a bounded number of host rows, each at its newest', async () => {
  const key = await depot.addRoute('CHURN', [1]);
  const replaced = (update: number) =>
    Array.from({ length: 450 }, (_, i) => ({ quantity: 1, barcodes: `B${update}-${i}` }));
  const updates = 5;
  let max = 0;
  for (let update = 0; update < updates; update++) {
    const osd_data = [{ osd_code: '10', data: replaced(update) }];
    await record(key, { id: 1, products: [{ ...planned, updates: { delivered: 1, osd_data } }] });
    await depot.replicateOnce(key);
    max = Math.max(max, (await depot.show('RTOSDP', "OSRTE = 'CHURN'")).length);
  }
  expect(max).toBeLessThanOrEqual(maxFlaggedRows + 2 * 450);
  const live = await depot.show('RTOSDP', "OSRTE = 'CHURN' and OSDELF = 'N'");
  expect(live.map(({ OSBAR }) => String(OSBAR).trim()).toSorted()).toEqual(
    replaced(updates - 1)
      .map(({ barcodes }) => barcodes)
      .toSorted(),
  );
});

test('a route accepts 5,000 unplanned lines, in any batches', async () => {
  const full = maxUnknownLinesOfRoute / maxUnknownLines;
  const stops = Array.from({ length: full + 1 }, (_, i) => i + 1);
  const key = await depot.addRoute('ROUTE', stops);
  // Five more than the limit, in any batches.
  await Promise.all(stops.slice(0, -1).map((id) => record(key, { id, products: lines(0, maxUnknownLines - 5) })));
  const last = stops.length;
  const own = { ...planned, invoice: `INV${last}` };
  expect(await record(key, { id: last, products: lines(0, 20), collections: lines(0, 20) })).toMatchObject({
    above: [],
  });
  const above = await record(key, { id: last, products: [...lines(100, 5), own], collections: lines(100, 7) });
  expect(above).toMatchObject({ result: 'applied', changed: true, above: ['collections.5', 'collections.6'] });
  expect(await unknownLinesOf(key)).toBe(maxUnknownLinesOfRoute);
  expect((await resultOf(key, last)).products?.[`ITEM1\tINV${last}\t0`]).toMatchObject({ delivered: 4 });
  expect(await record(key, { id: 1, products: lines(900, 1) })).toMatchObject({
    changed: false,
    above: ['products.0'],
  });
  // An existing line is no new line.
  const { above: none } = await record(key, {
    id: 1,
    products: [{ id: 'X0', invoice: 'I1', updates: { delivered: 9 } }],
  });
  expect(none).toEqual([]);
});

test('the count of a route follows its plans, a new customer and a new life', async () => {
  const key = await depot.addRoute('COUNT', [1, 2]);
  await record(key, { id: 1, products: lines(0, 10) });
  await record(key, { id: 2, products: lines(0, 20), collections: lines(0, 3) });
  expect(await unknownLinesOf(key)).toBe(33);

  await depot.clerk(`insert into PODDTA.RTPRDP (RPFAC, RPRTE, RPWKE, RPSTP, RPINV, RPITM, RPLIN, RPQTY)
    values ('F01', 'COUNT', 20261128, 1, 'I1', 'X3', 1, 5)`);
  await depot.importNow();
  expect(await unknownLinesOf(key)).toBe(32);

  await depot.clerk(`insert into PODDTA.CUSMSP (CMCUS, CMNAM) values ('OTHER', 'Other market')`);
  await depot.clerk(`update PODDTA.RTSTPP set RSCUS = 'OTHER' where RSRTE = 'COUNT' and RSSTP = 2`);
  await depot.importNow();
  // A stop keeps its result for its new customer, until its route begins anew.
  expect(await unknownLinesOf(key)).toBe(32);

  await depot.clerk(`delete from PODDTA.RTPRDP where RPRTE = 'COUNT' and RPITM = 'X3'`);
  await depot.clerk(`delete from PODDTA.RTHDRP where RHRTE = 'COUNT'`);
  await depot.addRoute('COUNT', [1, 2]);
  expect(await unknownLinesOf(key)).toBe(10);
  expect((await resultOf(key, 2)).products).toBeUndefined();
});

test('the details of a stop’s lines have a limit, and their counts are kept', async () => {
  const key = await depot.addRoute('DETAIL', [1]);
  const exceptions = (count: number) => [
    { osd_code: '10', data: Array.from({ length: count }, (_, i) => ({ quantity: i, comment: 'c'.repeat(400) })) },
  ];
  const item2 = { id: 'ITEM2', invoice: 'INV1' };
  await record(key, { id: 1, products: [{ ...planned, updates: { delivered: 1, osd_data: exceptions(450) } }] });
  const more = await record(key, {
    id: 1,
    products: [{ ...item2, updates: { delivered: 2, osd_data: exceptions(450), image_ids: ['0123456789ABCDEF'] } }],
  });
  expect(more).toMatchObject({ result: 'applied', changed: true, above: ['products.0.updates'] });
  expect(more.words).toBe('the lines of a stop keep 250000 characters of exceptions, photos and open_action');
  const { products = {} } = await resultOf(key);
  expect(products['ITEM2\tINV1\t0']).toEqual({ ...item2, n: 0, delivered: 2 });

  // A shorter list always fits, and makes room.
  const shorter = { ...planned, updates: { osd_data: exceptions(10) } };
  expect(await record(key, { id: 1, products: [shorter] })).toMatchObject({ above: [] });
  const action = { type: 'scan', open_action: { note: 'n'.repeat(maxLineDetail / 2) } };
  expect(await record(key, { id: 1, products: [{ ...item2, action }] })).toMatchObject({ above: [] });
  const photos = { image_ids: Array.from({ length: 100 }, (_, i) => `PHOTO${String(i).padStart(11, '0')}`) };
  const many = Array.from({ length: 70 }, (_, i) => ({ id: `P${i}`, updates: { delivered: 1, ...photos } }));
  const { above } = await record(key, { id: 1, products: many });
  expect(above.length).toBeGreaterThan(0);
  expect(JSON.stringify((await resultOf(key)).products).length).toBeLessThan(maxLineDetail * 1.1);
});

test('a phone with the plan shows the same values as the server, at each limit', async () => {
  const key = await depot.addRoute('PHONE', [1]);
  const { rows } = await pool.query<{ doc: string }>(`select doc from stop_plan where route_id = 'PHONE'`);
  const around = { drivers: [], stopException: () => undefined, plan: readPlan(rows[0]?.doc ?? '') };
  const osd_data = [{ osd_code: '10', data: Array.from({ length: 60 }, () => ({ comment: 'c'.repeat(2_000) })) }];
  const updates: StopObjectInput[] = [
    { id: 1, products: lines(0, maxUnknownLines - 1) },
    { id: 1, products: [...lines(600, 2), planned, { id: 'ITEM2', invoice: 'INV1', updates: { delivered: 1 } }] },
    { id: 1, collections: lines(0, maxUnknownLines), products: [{ ...planned, updates: { osd_data } }] },
    { id: 1, products: [{ id: 'ITEM2', invoice: 'INV1', updates: { delivered: 3, osd_data } }, ...lines(700, 1)] },
    { id: 1, products: [{ id: 'X0', invoice: 'I1', updates: { delivered: 3, osd_data } }] },
  ];
  let shown: StopResult = { status: 'P' };
  const paths: string[][] = [];
  for (const [i, stop] of updates.entries()) {
    const { above } = await record(key, stop);
    const item = toItem({
      client_id: 'phone',
      employee: '1001',
      form: 'open',
      edit_time: i + 1,
      mutation: {
        ...draftUpdate(key, stop),
        id: `id-${i}`,
        seq: i + 1,
        captured_at: new Date(i + 1).toISOString(),
        boot_id: 'boot',
        monotonic_ms: i,
        prev_hash: null,
      },
      progress: { at: 'waiting' },
    });
    const applied = applyItem(shown, item, around);
    shown = applied?.result ?? shown;
    expect(applied?.remarks.map(({ path }) => path)).toEqual(above);
    paths.push(above);
  }
  expect(paths).toEqual([[], ['products.1'], [], ['products.0.updates', 'products.1'], ['products.0.updates']]);
  const { products, collections } = await resultOf(key);
  expect({ products: shown.products, collections: shown.collections }).toEqual({ products, collections });
});
