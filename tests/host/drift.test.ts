import type { RouteKey } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { DriftCheck } from '../../server/src/replication/drift-check.ts';
import { importGround, routeFile, routeKey } from './import-ground.ts';

const ground = await importGround();
const { clerk, dispatch, pool, read } = ground;
const { imports } = ground.openImport();
await imports.start();

const quietly = async (statement: string) => {
  await clerk.transaction((tx) => tx.execute(statement));
  await clerk.transaction((tx) => tx.execute('delete from PODCHGP'));
};
const incidents = async () =>
  (
    await pool.query<{ details: string }>(`select details from incident where kind = 'host_drift' order by at`)
  ).rows.map(({ details }) => readDetails(details));
const readDetails: (text: string) => { route: RouteKey; plan: boolean; results: boolean } = JSON.parse;

test('drift: what no trigger told of the host’s own columns is imported and reported', async () => {
  await dispatch(routeFile('D1'));
  await imports.importNow();
  expect(await imports.findDrift('open')).toMatchObject({ plans: [], results: [] });
  await quietly("update RTPRDP set RPQTY = 77 where RPRTE = 'D1' and RPSTP = 1");
  expect(await imports.findDrift('open')).toMatchObject({ plans: [routeKey('D1')], results: [] });
  expect((await read('D1')).plans[0]?.plan.products[0]?.quantity).toBe(77);
  expect(await incidents()).toMatchObject([{ route: routeKey('D1'), plan: true, results: false }]);
  expect(await imports.findDrift('open')).toMatchObject({ plans: [], results: [] });
});

test('drift: what the doorbell has told is left to the import', async () => {
  await dispatch(routeFile('D2'));
  await imports.importNow();
  await clerk.transaction((tx) => tx.execute("update RTPRDP set RPQTY = 78 where RPRTE = 'D2' and RPSTP = 1"));
  expect(await imports.findDrift('open')).toMatchObject({ plans: [], results: [] });
  await imports.importNow();
  expect((await read('D2')).plans[0]?.plan.products[0]?.quantity).toBe(78);
});

test('drift: the service’s columns are an amendment where nothing is pending, else nobody’s business yet', async () => {
  await dispatch(routeFile('D3'));
  await imports.importNow();
  await pool.query(`update route set hosted_through = version where id = 'D3'`);
  await quietly("update RTSTPP set RSSTS = 'D' where RSRTE = 'D3' and RSSTP = 1");
  await pool.query(`update route set hosted_through = version - 1 where id = 'D3'`);
  expect((await imports.findDrift('open')).results).toEqual([]);
  await pool.query(`update route set hosted_through = version where id = 'D3'`);
  expect((await imports.findDrift('open')).results).toEqual([routeKey('D3')]);
  const { rows } = await pool.query(`select source from ledger where route_id = 'D3'`);
  expect(rows).toEqual([{ source: 'office' }]);
});

test('drift: a route that the doorbell never told of is found with everything else', async () => {
  await dispatch(routeFile('D4'));
  await clerk.transaction((tx) => tx.execute('delete from PODCHGP'));
  expect((await imports.findDrift('open')).plans).toEqual([]);
  expect((await imports.findDrift('everything')).plans).toEqual([routeKey('D4')]);
  expect((await read('D4')).route?.published_at).toBeInstanceOf(Date);
});

test('drift: a master file in which nobody told of a change is imported and reported; drivers see the new name', async () => {
  await dispatch(routeFile('D5'));
  await imports.importNow();
  const header = async () => (await read('D5')).route?.header_version;
  const before = await header();
  await quietly("update EMPMSTP set EMNAM = 'Jane Doe' where EMEMP = '1002'");
  await quietly("insert into CTLCDP (CCTYP, CCCOD, CCDSC, CCSEQ, CCSTS) values ('CRDRSN', '10', 'Short', 10, 'A')");
  expect(await imports.findDrift('open')).toMatchObject({ masters: [] });
  // What has rung is no drift, and comes with the import.
  await clerk.transaction((tx) => tx.execute("update FACMSTP set FANAM = 'North' where FAFAC = 'F01'"));
  const { masters } = await imports.findDrift('everything');
  expect(masters).toEqual(['CTLCDP', 'EMPMSTP']);
  expect(await header()).toBeGreaterThan(before ?? 0);
  const told = (await incidents()).filter((details) => 'file' in details);
  expect(told).toEqual([{ file: 'CTLCDP' }, { file: 'EMPMSTP' }]);
  const { rows } = await pool.query(`select name from employee where id = '1002'`);
  expect(rows).toEqual([{ name: 'Jane Doe' }]);
  expect(await imports.findDrift('everything')).toMatchObject({ masters: [] });
  const facility = async () =>
    (await pool.query<{ name: string }>(`select name from facility where id = 'F01'`)).rows.map(({ name }) => name);
  expect(await facility()).toEqual(['Depot']);
  await imports.importNow();
  expect(await facility()).toEqual(['North']);
});

test('drift: open routes are compared again and again, everything once a day', async () => {
  const scopes: string[] = [];
  let now = 0;
  const check = new DriftCheck({
    findDrift: async (scope) => {
      scopes.push(scope);
      if (scope === 'open') now += 13 * 3_600_000;
      return { routes: 0, masters: [], plans: [], results: [] };
    },
    clock: () => new Date(now),
    log: ground.openImport().log,
    everyMs: 5,
  });
  check.start();
  await expect.poll(() => scopes.slice(0, 6)).toEqual(['open', 'open', 'everything', 'open', 'open', 'everything']);
  await check.stop();
});
