import { operations } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readResult } from '../../server/src/stops/stored-documents.ts';
import { rowDeps } from './row-fixture.ts';

const { depot, pool, client, report, settled } = await rowDeps();
const worker = depot.worker();
await worker.start();

const week = '20261128';
/** Variants of one item number from a scanner, a form or another program. */
const characters = ['A', '1', ' ', '\u00e9', 'e\u0301', '\u00a0', '\u00a4', '\u0141', '\u0179'];
const keys = fc
  .array(fc.constantFrom(...characters), { minLength: 0, maxLength: 3 })
  .map((parts) => `K${parts.join('')}`);
/** Half of the pairs differ in their end alone. */
const pairs = fc.oneof(
  fc.tuple(keys, keys),
  fc.tuple(keys, fc.constantFrom('', ' ', '  ', '\u00a0')).map(([key, end]): [string, string] => [key, key + end]),
);

/** Latin-1 after composition, which the code page of this host has (CCSID 37). */
const fits = (key: string): boolean => !/[^\0-\xff]/.test(key.normalize('NFC'));

const resultOf = async (route: string, stop: number) => {
  const { rows } = await pool.query<{ doc: string }>(
    `select doc from stop_result where route_id = $1 and week_end = $2 and stop_id = $3`,
    [route, week, stop],
  );
  return readResult(rows[0]?.doc ?? '');
};
/** Reports that are neither on the host nor refused. */
const unwritten = async () =>
  (
    await pool.query(
      `select from load_report h where hosted_version < version
          and not exists (select from parked_row p where p.file = 'LCRHDP' and p.key = h.report_id and p.version = h.version)`,
    )
  ).rowCount;
const parkedOf = async (route: string) =>
  (
    await pool.query<{ stop_id: number; sqlstate: string; reason: string }>(
      `select stop_id, sqlstate, reason from parked where route_id = $1 order by stop_id`,
      [route],
    )
  ).rows;

describe('a key is the same on the server as on the host', () => {
  test('an item with a trailing blank is that item, whichever of the two comes first', async () => {
    const key = await depot.addRoute('BLANKS', [1]);
    await depot.record(key, { id: 1, products: [{ id: 'ITEM1', invoice: 'INV1', updates: { delivered: 3 } }] });
    await depot.record(key, { id: 1, products: [{ id: 'ITEM1  ', invoice: 'INV1 ', updates: { returned: 2 } }] });
    await depot.untilHosted(key);
    const { products } = await resultOf('BLANKS', 1);
    expect(products).toEqual({ 'ITEM1\tINV1\t0': { id: 'ITEM1', invoice: 'INV1', n: 0, delivered: 3, returned: 2 } });
    expect(await depot.show('RTPRUP', "RQRTE = 'BLANKS'")).toMatchObject([{ RQITM: 'ITEM1', RQDLV: '3', RQRTN: '2' }]);
    expect(await parkedOf('BLANKS')).toEqual([]);
  });

  test('two lines of one body that differ in a blank are two lines of that item', async () => {
    const key = await depot.addRoute('TWINS', [1]);
    const lines = ['ITEM2', 'ITEM2 '].map((id, n) => ({ id, invoice: 'INV1', updates: { delivered: n + 1 } }));
    await depot.record(key, { id: 1, products: lines });
    await depot.untilHosted(key);
    expect(await depot.show('RTPRUP', "RQRTE = 'TWINS'")).toMatchObject([
      { RQITM: 'ITEM2', RQLIN: '1', RQDLV: '1' },
      { RQITM: 'ITEM2', RQLIN: '2', RQDLV: '2' },
    ]);
  });

  test('a report with a trailing blank in its id is another revision of that report, and both ids find it', async () => {
    await report('PAD-2', { loadId: 'L7 ' });
    await report('PAD-2 ', { driverId: '1002 ' });
    await settled(worker);
    expect(await depot.show('LCRHDP', "LHRPT = 'PAD-2'")).toMatchObject([{ LHREV: '2', LHDRV: '1002' }]);
    const found = (reportId: string) =>
      client.take(operations.listLoadReports, { query: `?reportId=${encodeURIComponent(reportId)}&revisions=all` });
    expect(await found('PAD-2')).toMatchObject([
      { reportId: 'PAD-2', driverId: '1002' },
      { reportId: 'PAD-2', loadId: 'L7' },
    ]);
    expect(await found('PAD-2 ')).toEqual(await found('PAD-2'));
  });

  test('lines that differ on the server differ on the host, and equal ones are one', async () => {
    let routes = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(pairs, { minLength: 20, maxLength: 20 }), async (drawn) => {
        const route = `P${(routes += 1)}`;
        const stops = drawn.map((_, i) => i + 1);
        const key = await depot.addRoute(route, stops);
        for (const [i, pair] of drawn.entries())
          for (const [n, id] of pair.entries())
            await depot.record(key, { id: i + 1, products: [{ id, invoice: id, updates: { delivered: n + 1 } }] });
        await depot.untilHosted(key);
        const parked = await parkedOf(route);
        for (const [i, pair] of drawn.entries()) {
          const stop = i + 1;
          const lines = Object.values((await resultOf(route, stop)).products ?? {});
          const rows = await depot.show('RTPRUP', `RQRTE = '${route}' and RQSTP = ${stop}`);
          const [first, second] = pair.map((id) => id.normalize('NFC').replace(/ +$/, ''));
          expect(lines).toHaveLength(first === second ? 1 : 2);
          // A key that the host cannot store is not changed into another key.
          const held = lines.filter(({ id }) => fits(id));
          const refused = lines.filter((line) => !held.includes(line)).map(({ id }) => `item ${id} of invoice ${id}`);
          const reasons = parked.filter((one) => one.stop_id === stop).map(({ reason }) => reason.split(':')[0]);
          expect(reasons).toEqual(refused.length > 0 ? [refused.join(', ')] : []);
          const expected = held.map(({ id, delivered }) => ({ RQITM: id, RQINV: id, RQDLV: `${delivered}` }));
          const found = rows.map(({ RQITM, RQINV, RQDLV }) => ({ RQITM, RQINV, RQDLV }));
          expect(new Set(found)).toEqual(new Set(expected));
        }
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });

  test('reports that differ on the server differ on the host, and equal ones are one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pairs, { minLength: 10, maxLength: 10 }), async (drawn) => {
        const ids = drawn.flat();
        for (const id of ids) await report(id, { driverId: '1001' });
        await expect.poll(unwritten).toBe(0);
        const { rows } = await pool.query<{ report_id: string }>('select report_id from load_report');
        const onServer = rows.map((row) => row.report_id);
        for (const id of ids) expect(onServer).toContain(id.normalize('NFC').replace(/ +$/, ''));
        const onHost = (await depot.show('LCRHDP')).map((row) => row['LHRPT']);
        expect(new Set(onHost)).toEqual(new Set(onServer.filter(fits)));
        expect(onHost).toHaveLength(onServer.filter(fits).length);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
});
