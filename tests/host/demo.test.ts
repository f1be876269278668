import { stopView } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadDemo } from '../../server/src/demo/load.ts';
import { weekEndOf } from '../../server/src/demo/routes.ts';
import { valueFaults } from '../../server/src/host/files/fit.ts';
import { readFile } from '../../server/src/host/reads/reads.ts';
import { parseRouteFile } from '../../server/src/host/tools/load-file.ts';
import { hostFileNames } from '../../server/src/host/files/tables.ts';
import { stopPayload } from '../../server/src/routes/payload.ts';
import { importDeps, routeKey } from './import-fixture.ts';
import { createHost } from '../support/stand-in.ts';

const now = new Date('2026-11-18T12:00:00Z');

test('the week ends on the first Saturday on or after today, in UTC', () => {
  const cases = {
    '2026-11-21T23:59:59Z': '20261121',
    '2026-11-22T00:00:00Z': '20261128',
    '2026-12-27T08:00:00Z': '20270102',
  };
  for (const [day, weekEnd] of Object.entries(cases)) expect(weekEndOf(new Date(day))).toBe(weekEnd);
});

test('an empty host gets the depot of the contract, once', async () => {
  const { host, clerk } = await createHost();
  expect(await loadDemo(clerk, now)).toBe(true);
  expect(await loadDemo(clerk, now)).toBe(false);

  const employees = await readFile(host, 'EMPMSTP');
  expect(employees.map(({ EMEMP, EMSTS }) => EMEMP + EMSTS)).toEqual([
    '1001A',
    '1002A',
    '1003A',
    '1004A',
    '1005A',
    '1006A',
    '1007A',
    '1008A',
    '1009A',
    '1010A',
    '1011A',
    '1012I',
  ]);
  expect(employees.every(({ EMPHN }) => EMPHN !== '')).toBe(true);
  const drivers = await readFile(host, 'RTDRVP');
  expect(drivers.map(({ RDRTE, RDEMP }) => `${RDRTE} ${RDEMP}`)).toEqual([
    'R100 1001',
    'R100 1002',
    'R200 1003',
    'R300 1004',
    'R400 1005',
    'R400 1006',
    'R900 1009',
  ]);
  const headers = await readFile(host, 'RTHDRP');
  expect(headers.map(({ RHRTE, RHEMLF, RHPODS }) => [RHRTE, RHEMLF, RHPODS])).toEqual([
    ['R100', 'Y', ''],
    ['R200', 'N', ''],
    ['R300', 'Y', 'C'],
    ['R400', 'Y', ''],
    ['R900', 'N', ''],
  ]);
  expect(headers.every(({ RHWKE, RHDSDT }) => RHWKE === '20261121' && RHDSDT === '20261118')).toBe(true);
  expect(await readFile(host, 'FACMSTP')).toMatchObject([{ FAFAC: 'F01', FATZ: 'America/Chicago' }]);

  const stops = await readFile(host, 'RTSTPP');
  const stopsOf = (id: string) => stops.filter(({ RSRTE }) => RSRTE === id).map(({ RSSTP, RSTYP }) => RSSTP + RSTYP);
  expect(stopsOf('R100')).toEqual([...Array.from({ length: 12 }, (_, index) => `${index + 1}D`), '13B', '999W']);
  expect(stopsOf('R200')).toEqual(['1D', '2D', '3D', '999W']);
  expect(stopsOf('R400')).toEqual(['1D', '2D', '999W']);
  expect(stopsOf('R900')).toHaveLength(150);
  const products = await readFile(host, 'RTPRDP');
  expect(products.filter(({ RPRTE }) => RPRTE === 'R900')).toHaveLength(3000);

  const codes = await readFile(host, 'CTLCDP');
  const list = (type: string) => codes.filter(({ CCTYP }) => CCTYP === type).map(({ CCCOD }) => CCCOD);
  expect(list('CRDRSN')).toEqual(['10', '11', '20', '21', '22', '30', '31', '40', '50', '85', '86']);
  expect(codes.filter(({ CCTYP }) => CCTYP === 'STPEXC').map(({ CCCOD, CCCAT }) => CCCOD + CCCAT)).toEqual([
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
  expect(codes.filter(({ CCTYP, CCDRVF }) => CCTYP === 'INVEXC' && CCDRVF === 'Y').map(({ CCCOD }) => CCCOD)).toEqual([
    'P1',
    'P2',
    'P3',
    'P4',
  ]);
  expect(list('CONTYP')).toEqual(['BALE', 'BLUE PALLET', 'BROWN PALLET', 'CASE', 'PAPER TOTE', 'PLASTIC TOTE']);
  expect(list('SECTN')).toEqual(['CASES', 'CIG/TOB', 'INFO', 'PALLETS', 'RETURNS', 'TOTES']);
  expect(list('TRLARE')).toEqual(['COOLER', 'DRY', 'FREEZER']);
  for (const name of hostFileNames)
    for (const row of await readFile(host, name)) expect(valueFaults(name, row)).toEqual([]);
});

describe('beside a mirror', () => {
  let deps: Awaited<ReturnType<typeof importDeps>>;
  let opened: ReturnType<typeof deps.openImport>;

  beforeAll(async () => {
    deps = await importDeps();
    await deps.clerk.transaction((tx) => tx.execute('delete from EMPMSTP'));
    await loadDemo(deps.clerk, now);
    opened = deps.openImport();
    await opened.imports.importNow();
  });

  test('the mirror imports the whole depot, the longest route too', async () => {
    const { plans, drivers } = await deps.read('R100');
    const first = plans[0]?.plan;
    expect(first?.products.length).toBeGreaterThanOrEqual(3);
    const invoicesOf = (id: string) =>
      new Set(first?.products.filter((line) => line.id === id).map(({ invoice }) => invoice)).size;
    expect(first?.products.some(({ id }) => invoicesOf(id) === 2)).toBe(true);
    expect(first?.products.some(({ action_type }) => action_type === 'scan')).toBe(true);
    expect(first?.collections).toHaveLength(2);
    expect(first?.customer.contact.email).toMatch(/@/);
    expect(first?.customer.contact.contact_email).toMatch(/@/);
    expect(first?.customer.location.coordinates.latitude).toMatch(/^41\.\d{6}$/);
    expect(drivers.map(({ employee }) => employee)).toEqual(['1001', '1002']);
    const long = await deps.read('R900');
    expect(long.plans).toHaveLength(150);
    expect(long.plans.every(({ plan }) => plan.products.length === 20)).toBe(true);
    expect((await deps.read('R300')).route).toMatchObject({
      status: 'C',
      closed_by: 'D',
      version: 1,
      hosted_through: 1,
    });
    expect((await deps.read('R300')).results.get(999)?.result).toMatchObject({ status: 'C', arrived: true });
    expect(opened.log.lines).toEqual([]);
  });

  test('the output of GET route can be dispatched again, also with a warehouse without a customer', async () => {
    const { plans } = await deps.read('R200');
    const stops = plans.map(({ plan }) => stopPayload(stopView(plan, { status: 'P' })));
    expect(stops.at(-1)).toMatchObject({ id: 999, customer: { id: '', name: '' } });
    await deps.dispatch({ ...routeKey('R201'), name: 'Chicago South', drivers: [{ id: '1010' }], stops });
    await opened.imports.importNow();
    const again = await deps.read('R201');
    expect(again.plans.map(({ plan }) => stopPayload(stopView(plan, { status: 'P' })))).toEqual(stops);
  });

  test('a dispatch program may plan an arrival at a stop; another clock is refused by its path', async () => {
    const stops = [{ id: 1, eta: '093000' }, { id: 2 }];
    await deps.dispatch({ ...routeKey('R202'), name: 'Chicago South', drivers: [{ id: '1010' }], stops });
    await opened.imports.importNow();
    expect((await deps.read('R202')).plans.map(({ plan }) => plan.eta)).toEqual(['093000', '']);
    const wrong = { ...routeKey('R203'), stops: [{ id: 1, eta: '256000' }] };
    expect(() => parseRouteFile(wrong)).toThrow('stops.0.eta: expected HHMMSS');
  });
});
