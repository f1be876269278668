import { operations } from '../../../server/src/http/operations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { codes } from '../../../server/src/demo/codes.ts';
import { writeMasters } from '../../../server/src/host/tools/dispatch.ts';
import { importCodes } from '../../../server/src/replication/from-host/import-masters.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';
import type { TestHost } from '../../support/stand-in.ts';
import { createHost } from '../../support/stand-in.ts';

const lists = {
  'stop-exception': operations.listStopExceptions,
  'credit-reason': operations.listCreditReasons,
  'invoice-exception': operations.listInvoiceExceptions,
  'product/container-type': operations.listContainerTypes,
  'product/section': operations.listSections,
  'product/trailer-area': operations.listTrailerAreas,
};
const paths = Object.keys(lists).map((list) => `/control/codes/${list}`);

let site: TestHost;
let server: RestServer;

/** A clerk's change to the host's codes, and the import after it. */
async function clerk(sql: string): Promise<void> {
  await site.clerk.transaction((tx) => tx.execute(sql));
  await importCodes(site.database.pool, site.host);
}

beforeAll(async () => {
  site = await createHost();
  server = await startRestServer({ database: site.database });
  await writeMasters(site.clerk, { user: 'DEMO', now: new Date() }, { facilities: [], employees: [], codes });
  await importCodes(site.database.pool, site.host);
});

const send = (path: string, headers = {}) => server.client.send('GET', `/api/v20${path}`, { headers });

describe('contract §5: code lists', () => {
  test('stop-exception: code, description, type, flags and sort, by sort', async () => {
    const list = await server.client.take(operations.listStopExceptions);
    expect(list[0]).toEqual({
      code: '01',
      description: 'Store closed',
      type: 'S',
      requires_comment: false,
      requires_photo: true,
      sort: 10,
    });
    expect(list.map(({ code, type }) => code + type)).toEqual([
      '01S',
      '02S',
      '03S',
      '04S',
      '10R',
      '11R',
      '12R',
      '13R',
      '99B',
    ]);
    expect(list.at(-1)).toMatchObject({ requires_comment: true });
  });

  test('credit-reason: code, description, category, photo and sort', async () => {
    const list = await server.client.take(operations.listCreditReasons);
    expect(list[2]).toEqual({
      code: '20',
      description: 'Damaged in transit',
      category: 'DAMAGE',
      requires_photo: true,
      sort: 30,
    });
    expect(list.map(({ code }) => code)).toEqual(['10', '11', '20', '21', '22', '30', '31', '40', '50', '85', '86']);
  });

  test('invoice-exception: only codes flagged for drivers, each with its flag', async () => {
    const list = await server.client.take(operations.listInvoiceExceptions);
    expect(list[0]).toEqual({ code: 'P1', description: 'Price differs', driver_visible: 'Y' });
    expect(list.map(({ code }) => code)).toEqual(['P1', 'P2', 'P3', 'P4']);
  });

  test.each([
    ['listContainerTypes', ['BALE', 'BLUE PALLET', 'BROWN PALLET', 'CASE', 'PAPER TOTE', 'PLASTIC TOTE']],
    ['listSections', ['CASES', 'CIG/TOB', 'INFO', 'PALLETS', 'RETURNS', 'TOTES']],
    ['listTrailerAreas', ['COOLER', 'DRY', 'FREEZER']],
  ] as const)('%s has exactly the documented values', async (name, values) => {
    const list = await server.client.take(operations[name]);
    expect(list.map(({ code }) => code)).toEqual(values);
    const [first] = values;
    expect(list[0]).toEqual({ code: first, description: first, sort: 10 });
  });

  test.each(paths)('%s: an ETag, five minutes, and 304 for a client that has it', async (path) => {
    const { headers } = await send(path);
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(headers.get('cache-control')).toMatch(/\bmax-age=300\b/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await fetch(`${server.client.url}/api/v20${path}`, { headers: { 'if-none-match': known } });
      expect(again.status).toBe(304);
      expect(again.headers.get('etag')).toBe(etag);
      expect(again.headers.get('cache-control')).toMatch(/\bmax-age=300\b/);
      expect(await again.text()).toBe('');
    }
    expect((await send(path, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test.each(paths)('%s is on the prefixed set only (interface.md 4.5)', async (path) => {
    expect((await server.client.send('GET', `/api${path}`)).error?.code).toBe('NOT_FOUND');
  });

  test('a change on the host changes the ETag; the order is by sort, then code', async () => {
    const before = await send('/control/codes/stop-exception');
    await clerk(`update PODDTA.CTLCDP set CCSEQ = 5, CCDSC = 'Strike' where CCTYP = 'STPEXC' and CCCOD = '99'`);
    const after = await send('/control/codes/stop-exception', { 'if-none-match': before.headers.get('etag') ?? '' });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(after.data).toMatchObject([
      { code: '99', description: 'Strike', sort: 5 },
      { code: '01' },
      {},
      {},
      {},
      {},
      {},
      {},
      {},
    ]);
    await clerk(`update PODDTA.CTLCDP set CCSEQ = 10 where CCTYP = 'STPEXC'`);
    const level = await server.client.take(operations.listStopExceptions);
    expect(level.map(({ code }) => code)).toEqual(['01', '02', '03', '04', '10', '11', '12', '13', '99']);
  });

  test('a retired code is in no list, and the mirror retains it', async () => {
    await clerk(`update PODDTA.CTLCDP set CCSTS = 'I' where CCTYP = 'CRDRSN' and CCCOD = '31'`);
    const list = await server.client.take(operations.listCreditReasons);
    expect(list.map(({ code }) => code)).not.toContain('31');
    const { rows } = await site.database.pool.query(
      `select active from code where type = 'credit-reason' and code = '31'`,
    );
    expect(rows).toEqual([{ active: false }]);
  });

  test('strict access requires a driver (contract §8)', async () => {
    const strict = await startRestServer({ database: site.database, access: 'strict' });
    await insertEmployees(site.database.pool, ['1001']);
    expect((await strict.client.call(operations.listSections)).error?.code).toBe('MISSING_CREDENTIALS');
    const as = await signUp(strict.client, '1001');
    expect(await strict.client.take(operations.listSections, { as })).toHaveLength(6);
  });
});
