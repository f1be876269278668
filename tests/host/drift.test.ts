import type { RouteKey } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import type { Db } from '../../server/src/db/types.ts';
import { loadRouteState } from '../../server/src/replication/from-host/import-sql.ts';
import { noDrift, notBegun } from '../../server/src/replication/from-host/drift.ts';
import { DriftCheck } from '../../server/src/replication/from-host/drift-check.ts';
import { importDeps, routeFile, routeKey } from './import-fixture.ts';

const deps = await importDeps();
const { clerk, dispatch, pool, read } = deps;
const { imports } = deps.openImport();
await imports.start();

const withoutDoorbell = async (statement: string) => {
  await clerk.transaction((tx) => tx.execute(statement));
  await clerk.transaction((tx) => tx.execute('delete from PODCHGP'));
};
const incidents = async () =>
  (
    await pool.query<{ details: string }>(`select details from incident where kind = 'host_drift' order by at`)
  ).rows.map(({ details }) => readDetails(details));
const readDetails: (text: string) => { route: RouteKey; plan: boolean; results: boolean } = JSON.parse;

test('drift: a change of host-owned columns without a doorbell line is imported and reported', async () => {
  await dispatch(routeFile('D1'));
  await imports.importNow();
  expect(await imports.findDrift('routes')).toMatchObject({ plans: [], results: [] });
  await withoutDoorbell("update RTPRDP set RPQTY = 77 where RPRTE = 'D1' and RPSTP = 1");
  expect(await imports.findDrift('routes')).toMatchObject({ plans: [routeKey('D1')], results: [] });
  expect((await read('D1')).plans[0]?.plan.products[0]?.quantity).toBe(77);
  expect(await incidents()).toMatchObject([{ route: routeKey('D1'), plan: true, results: false }]);
  expect(await imports.findDrift('routes')).toMatchObject({ plans: [], results: [] });
});

test('drift: changes with a doorbell line are left to the import', async () => {
  await dispatch(routeFile('D2'));
  await imports.importNow();
  await clerk.transaction((tx) => tx.execute("update RTPRDP set RPQTY = 78 where RPRTE = 'D2' and RPSTP = 1"));
  expect(await imports.findDrift('routes')).toMatchObject({ plans: [], results: [] });
  await imports.importNow();
  expect((await read('D2')).plans[0]?.plan.products[0]?.quantity).toBe(78);
});

test('drift: changes of master data with a doorbell line are left to the import, at every route that shows them', async () => {
  await dispatch(routeFile('D7'));
  await dispatch(routeFile('D8'));
  await imports.importNow();
  const office = async (statement: string) => clerk.transaction((tx) => tx.execute(statement));
  await office("update CUSMSP set CMNAM = 'Bistro' where CMCUS = 'CD70'");
  await office("update INVHDP set IHRTE = 'D8' where IHINV = 'D7I1'");
  expect(await imports.findDrift('routes')).toMatchObject({ plans: [], results: [] });
  await imports.importNow();
  expect((await read('D7')).plans.map(({ plan }) => [plan.customer.name, plan.invoices.length])).toEqual([
    ['Bistro', 1],
    ['Café 1', 0],
    ['', 0],
  ]);
  expect((await read('D8')).plans[1]?.plan.invoices).toHaveLength(2);
  expect(await imports.findDrift('routes')).toMatchObject({ plans: [], results: [] });
});

test('drift: service-owned columns give an amendment where nothing is pending, and else wait', async () => {
  await dispatch(routeFile('D3'));
  await imports.importNow();
  await pool.query(`update route set hosted_through = version where id = 'D3'`);
  await withoutDoorbell("update RTSTPP set RSSTS = 'D' where RSRTE = 'D3' and RSSTP = 1");
  await pool.query(`update route set hosted_through = version - 1 where id = 'D3'`);
  expect((await imports.findDrift('routes')).results).toEqual([]);
  await pool.query(`update route set hosted_through = version where id = 'D3'`);
  expect((await imports.findDrift('routes')).results).toEqual([routeKey('D3')]);
  const { rows } = await pool.query(`select source from ledger where route_id = 'D3'`);
  expect(rows).toEqual([{ source: 'office' }]);
});

test('drift: an edit without a doorbell line carries the user of its row', async () => {
  await dispatch(routeFile('D9'));
  await imports.importNow();
  await pool.query(`update route set hosted_through = version where id = 'D9'`);
  await withoutDoorbell(
    "update RTSTPP set RSSTS = 'D', RSUUSR = 'ERIKA', RSUPGM = 'FIX' where RSRTE = 'D9' and RSSTP = 1",
  );
  await withoutDoorbell("update RTHDRP set RHPODS = 'C', RHUUSR = 'BOB', RHUPGM = 'CLOSE' where RHRTE = 'D9'");
  expect((await imports.findDrift('routes')).results).toEqual([routeKey('D9')]);
  const { rows } = await pool.query(`select employee, stop_id from ledger where route_id = 'D9' order by stop_id`);
  expect(rows).toEqual([
    { employee: 'ERIKA', stop_id: 1 },
    { employee: 'BOB', stop_id: 999 },
  ]);
});

test('drift: a route without a doorbell line is found', async () => {
  await dispatch(routeFile('D4'));
  await clerk.transaction((tx) => tx.execute('delete from PODCHGP'));
  expect((await imports.findDrift('routes')).plans).toEqual([routeKey('D4')]);
  expect((await read('D4')).route?.published_at).toBeInstanceOf(Date);
});

test('drift: closed routes are read, and compared where their rows have changed', async () => {
  await dispatch(routeFile('D6'));
  await imports.importNow();
  await pool.query(`update route set hosted_through = version where id = 'D6'`);
  await clerk.transaction((tx) => tx.execute("update RTHDRP set RHPODS = 'C' where RHRTE = 'D6'"));
  await imports.importNow();
  await pool.query(`update route set hosted_through = version where id = 'D6'`);
  expect((await read('D6')).route?.status).toBe('C');
  // Read for the first time since its close, and unchanged.
  expect(await imports.findDrift('routes')).toMatchObject({ plans: [], results: [] });
  const digests = async () =>
    (await pool.query<{ recorded: string }>(`select recorded from host_mark where place like 'F01	D6	%'`)).rows;
  const [before] = await digests();
  expect(before).toBeDefined();
  expect((await imports.findDrift('routes')).results).toEqual([]);

  await withoutDoorbell("update RTSTPP set RSSTS = 'R' where RSRTE = 'D6' and RSSTP = 1");
  // Another worker has the lease: the route is left alone, and compared again the next time.
  const { leases } = deps.openImport();
  const lease = await leases.acquire(routeKey('D6'));
  if (!lease) throw new Error('the lease of a quiet route is free');
  expect((await imports.findDrift('routes')).results).toEqual([]);
  expect(await digests()).toEqual([before]);
  await leases.release(lease);
  expect((await imports.findDrift('routes')).results).toEqual([routeKey('D6')]);
  expect((await read('D6')).results.get(1)?.result.status).toBe('R');

  await pool.query(`update route set hosted_through = version where id = 'D6'`);
  await withoutDoorbell("update RTHDRP set RHPODS = ' ' where RHRTE = 'D6'");
  expect((await imports.findDrift('routes')).results).toEqual([routeKey('D6')]);
  expect((await read('D6')).route?.status).toBe('O');
  // An open one is compared whole.
  await imports.findDrift('routes');
  expect(await digests()).toEqual([]);
});

test('drift: a changed master file without a doorbell line is imported and reported; drivers see the new name', async () => {
  await dispatch(routeFile('D5'));
  await imports.importNow();
  const header = async () => (await read('D5')).route?.header_version;
  const before = await header();
  await withoutDoorbell("update EMPMSTP set EMNAM = 'Jane Doe' where EMEMP = '1002'");
  await withoutDoorbell(
    "insert into CTLCDP (CCTYP, CCCOD, CCDSC, CCSEQ, CCSTS) values ('CRDRSN', '10', 'Short', 10, 'A')",
  );
  expect(await imports.findDrift('routes')).toMatchObject({ masters: [] });
  // A change with a doorbell line is no drift, and comes with the import.
  await clerk.transaction((tx) => tx.execute("update FACMSTP set FANAM = 'North' where FAFAC = 'F01'"));
  const { masters } = await imports.findDrift('everything');
  expect(masters).toEqual(['CTLCDP', 'EMPMSTP']);
  expect(await header()).toBeGreaterThan(before ?? 0);
  const incidentsOfFiles = (await incidents()).filter((details) => 'file' in details);
  expect(incidentsOfFiles).toEqual([{ file: 'CTLCDP' }, { file: 'EMPMSTP' }]);
  const { rows } = await pool.query(`select name from employee where id = '1002'`);
  expect(rows).toEqual([{ name: 'Jane Doe' }]);
  expect(await imports.findDrift('everything')).toMatchObject({ masters: [] });
  const facility = async () =>
    (await pool.query<{ name: string }>(`select name from facility where id = 'F01'`)).rows.map(({ name }) => name);
  expect(await facility()).toEqual(['Depot']);
  await imports.importNow();
  expect(await facility()).toEqual(['North']);
});

/** Comparisons in which something happens after a look at the state of a route. */
const comparisonWith = (happen: (id: string) => Promise<void>) => {
  const db: Db = {
    connect: () => pool.connect(),
    query: async (statement, values) => {
      const found = await pool.query(statement, values);
      if (statement === loadRouteState) await happen(String(values?.[1]));
      return found;
    },
  };
  return deps.openImport(deps.host, 3_600, db).imports;
};

test('drift: a route that is dispatched during the comparison is imported before the next route is compared', async () => {
  await dispatch(routeFile('E1'));
  await dispatch(routeFile('E2'));
  await imports.importNow();
  const isNewThere = new Map<string, boolean>();
  let imported: Promise<boolean> | undefined;
  const during = comparisonWith(async (id) => {
    if (isNewThere.has(id)) return;
    isNewThere.set(id, (await read('E3')).route !== undefined);
    if (imported) return;
    await dispatch(routeFile('E3'));
    imported = during.importNow();
  });
  await during.findDrift('routes');
  await imported;
  isNewThere.delete('E3');
  expect(isNewThere.size).toBeGreaterThan(1);
  expect([...isNewThere.values()].indexOf(true)).toBe(1);
});

test('drift: a driver’s change during the comparison is none', async () => {
  await dispatch(routeFile('E4'));
  await imports.importNow();
  let looks = 0;
  const during = comparisonWith(async (id) => {
    if (id !== 'E4') return;
    looks += 1;
    if (looks === 2) await pool.query(`update route set version = version + 1 where id = 'E4'`);
  });
  expect((await during.findDrift('routes')).results).toEqual([]);
  expect(looks).toBe(2);
  await pool.query(`update route set hosted_through = version where id = 'E4'`);
});

test('drift: after a restore the first comparison is due immediately', async () => {
  const compared = Promise.withResolvers<string>();
  const check = new DriftCheck({
    findDrift: async (scope) => {
      compared.resolve(scope);
      return noDrift;
    },
    clock: () => new Date(),
    log: deps.openImport().log,
    isRestored: true,
  });
  check.start();
  expect(await compared.promise).toBe('routes');
  await check.stop();
});

test('drift: open routes are compared repeatedly, everything once a day, and again where another node imported', async () => {
  const scopes: string[] = [];
  let now = 0;
  const check = new DriftCheck({
    findDrift: async (scope) => {
      scopes.push(scope);
      if (scope === 'routes') now += 13 * 3_600_000;
      return scopes.length === 3 ? notBegun : noDrift;
    },
    clock: () => new Date(now),
    log: deps.openImport().log,
    everyMs: 5,
  });
  check.start();
  await expect
    .poll(() => scopes.slice(0, 7))
    .toEqual(['routes', 'routes', 'everything', 'everything', 'routes', 'routes', 'everything']);
  await check.stop();
});
