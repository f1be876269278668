import { mostUnknownLines, stopObject, withinLineLimit, type StopResult } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { readResult } from '../../../server/src/stops/stored-documents.ts';
import { openDepot } from '../../support/depot.ts';

const depot = await openDepot();

const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `X${from + i}`, invoice: 'I1', updates: { delivered: 1 } }));
const planned = { id: 'ITEM1', invoice: 'INV1', updates: { delivered: 4 } };

test('what a stop does not keep is in the ledger with a warning, and its plan counts as ever', async () => {
  const key = await depot.addRoute('LIMIT', [1]);
  await depot.record(key, { id: 1, products: lines(0, mostUnknownLines - 100) });
  const outcome = await depot.record(key, {
    id: 1,
    updates: { status: 'D' },
    products: [...lines(1_000, 101), planned, { id: 'X0', invoice: 'I1', updates: { delivered: 7 } }],
  });
  if (outcome.result === 'quarantined') throw new Error(outcome.reason);
  expect(outcome).toMatchObject({ result: 'applied', status: 'D' });
  const told = outcome.warnings.filter(({ path }) => path.startsWith('products.100'));
  expect(told).toEqual([
    { code: 'too_many_lines', path: 'products.100', message: 'a stop keeps 500 lines that its plan does not have' },
  ]);

  const again = await depot.record(key, { id: 1, products: lines(5_000, 2) });
  expect(again).toMatchObject({ result: 'applied', changed: false });

  const { pool } = depot.database;
  const { rows } = await pool.query<{ doc: string }>(`select doc from stop_result where route_id = 'LIMIT'`);
  const { products = {} } = readResult(rows[0]?.doc ?? '');
  expect(Object.keys(products)).toHaveLength(mostUnknownLines + 1);
  expect(products['ITEM1\tINV1\t0']).toMatchObject({ delivered: 4 });
  expect(products['X0\tI1\t0']).toMatchObject({ delivered: 7 });
  const kept = await pool.query<{ body: string; warnings: string }>(
    `select body, warnings from ledger where route_id = 'LIMIT' order by version, received_at`,
  );
  expect(kept.rows.some(({ body, warnings }) => body.includes('X5001') && warnings.includes('too_many_lines'))).toBe(
    true,
  );
  await depot.bringOut(key);
  expect(await depot.show('RTPRUP', "RQRTE = 'LIMIT'")).toHaveLength(mostUnknownLines + 1);
});

test('a line that is left out keeps its place among equal ones', () => {
  const products = Object.fromEntries(
    lines(0, mostUnknownLines).map(({ id, invoice }) => [`${id}\t${invoice}\t0`, { id, invoice, n: 0, delivered: 1 }]),
  );
  const before: StopResult = { status: 'P', products };
  const sent = z.parse(stopObject, {
    id: 1,
    products: [1, 2].map((delivered) => ({ ...planned, updates: { delivered } })),
  });
  const isSecond = (_kind: string, id: string, _invoice: string, n: number) => id === 'ITEM1' && n === 1;
  expect(withinLineLimit(before, sent, isSecond)).toEqual({
    stop: { ...sent, products: [{ id: 'ITEM1', invoice: 'INV1' }, sent.products?.[1]] },
    remarks: [{ code: 'too_many_lines', path: 'products.0' }],
  });
});
