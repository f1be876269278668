import { expect, test } from 'vitest';
import { routeKey } from './import-fixture.ts';
import { openStage } from './import-stage.ts';
import { importSuite } from './import-suite.ts';
import { officeEditSuite } from './office-edit-suite.ts';

const stage = await openStage('doorbell');
const { openImport, imports, pool, sql, imported, read, waiting, deliver } = stage;

importSuite(stage);
officeEditSuite(stage);

test('the worker, which has the lease, has edits imported at its own call, dated at their writing', async () => {
  await imported('R36');
  const { leases } = openImport();
  const lease = await leases.acquire(routeKey('R36'));
  if (!lease) throw new Error('the lease of a quiet route is free');
  await sql("update RTSTPP set RSSTS = 'D' where RSRTE = 'R36' and RSSTP = 1");
  await sql("update PODCHGP set CHTS = CHTS - interval '90 seconds', CHUSR = 'ANN'");
  const before = Date.now();
  await imports.importEdits([{ key: routeKey('R36'), stop: 1 }]);
  expect((await read('R36')).results.get(1)?.result.status).toBe('D');
  const { rows } = await pool.query<{ employee: string; edit_time: Date }>(
    `select employee, edit_time from ledger where route_id = 'R36'`,
  );
  expect(rows).toMatchObject([{ employee: 'ANN' }]);
  const age = before - (rows[0]?.edit_time.getTime() ?? 0);
  expect(Math.abs(age - 90_000)).toBeLessThan(2_000);
  await leases.release(lease);
  await imports.importNow();
  expect((await read('R36')).route?.version).toBe(2);
  expect(await waiting()).toEqual([]);
});

test('a stop row that is inserted anew without a doorbell line is recognized by its values', async () => {
  await imported('R41');
  await deliver('R41', 1);
  await sql("update RTSTPP set RSSTS = 'D', RSARVF = 'N' where RSRTE = 'R41' and RSSTP = 1");
  await imports.importNow();
  await sql("delete from RTSTPP where RSRTE = 'R41' and RSSTP = 1");
  await sql(
    "insert into RTSTPP (RSFAC, RSRTE, RSWKE, RSSTP, RSTYP, RSCUS) values ('F01', 'R41', 20261121, 1, 'D', 'CR410')",
  );
  await sql('delete from PODCHGP');
  await imports.importEdits([{ key: routeKey('R41'), stop: 1 }]);
  expect((await read('R41')).results.get(1)?.result.status).toBe('D');
});

test('successive edits of clerks keep their own times and authors', async () => {
  await imported('R42');
  await sql("update RTSTPP set RSSTS = 'S' where RSRTE = 'R42' and RSSTP = 1");
  await sql("update PODCHGP set CHTS = CHTS - interval '90 seconds', CHUSR = 'ANN'");
  await deliver('R42', 1, { at: new Date(Date.now() - 60_000), status: 'R' });
  await sql(`insert into RTPRUP (RQFAC, RQRTE, RQWKE, RQSTP, RQINV, RQITM, RQLIN, RQTYP, RQDLV)
    values ('F01', 'R42', 20261121, 1, 'R42I0', 'EGGS', 1, 'P', 3)`);
  await sql("update PODCHGP set CHTS = CHTS - interval '30 seconds', CHUSR = 'BOB' where CHFIL = 'RTPRUP'");
  await imports.importNow();
  const result = (await read('R42')).results.get(1)?.result;
  expect(result?.status).toBe('R');
  expect(Object.values(result?.products ?? {})).toMatchObject([{ id: 'EGGS', delivered: 3 }]);
  const { rows } = await pool.query(
    `select employee from ledger where route_id = 'R42' and source = 'office' order by 1`,
  );
  expect(rows).toEqual([{ employee: 'ANN' }, { employee: 'BOB' }]);
});

test('a status that was corrected in one file is not taken back by the other, which still has the old one', async () => {
  await imported('R43');
  await sql("insert into RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RUSTS) values ('F01', 'R43', 20261121, 1, 'S')");
  await imports.importNow();
  await sql("update RTSTPP set RSSTS = 'D' where RSRTE = 'R43' and RSSTP = 1");
  await imports.importNow();
  await sql("update RTSTUP set RUCMT = 'at the back door' where RURTE = 'R43'");
  await imports.importNow();
  expect((await read('R43')).results.get(1)?.result).toMatchObject({
    status: 'D',
    updates: { driver_comments: 'at the back door' },
  });
});

test('a clerk’s unseen edit does not replace a driver’s later record', async () => {
  await imported('R44');
  await deliver('R44', 1, { at: new Date(Date.now() - 120_000) });
  await sql("update RTSTPP set RSSTS = 'D', RSARVF = 'N' where RSRTE = 'R44' and RSSTP = 1");
  await imports.importNow();
  await sql("update RTSTPP set RSSTS = 'S' where RSRTE = 'R44' and RSSTP = 1");
  await sql("update PODCHGP set CHTS = CHTS - interval '90 seconds'");
  await deliver('R44', 1, { at: new Date(Date.now() - 60_000) });
  // The worker found nothing to write: by its shadow the row has D.
  await pool.query(`update route set hosted_through = version where id = 'R44'`);
  await imports.importNow();
  expect((await read('R44')).results.get(1)?.result.status).toBe('D');
  expect((await pool.query(`select behind from route where id = 'R44'`)).rows).toEqual([{ behind: true }]);
  expect((await pool.query(`select from incident where details like '%R44%'`)).rowCount).toBe(0);
});

test('a clerk’s edit just before a reload is imported, and does not pass for the service’s', async () => {
  await imported('R45');
  await sql(`insert into RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RUSTS, RUCMT)
    values ('F01', 'R45', 20261121, 1, 'D', 'as the driver said')`);
  await imports.importNow();
  await sql("update RTSTUP set RUCMT = 'as the clerk said' where RURTE = 'R45'");
  await sql("delete from RTHDRP where RHRTE = 'R45'");
  await sql(
    "insert into RTHDRP (RHFAC, RHRTE, RHWKE, RHNAM, RHDSDT) values ('F01', 'R45', 20261121, 'North', 20261120)",
  );
  await imports.importNow();
  const { route, results } = await read('R45');
  expect(route?.epoch).toBe(2);
  expect(results.get(1)?.result).toMatchObject({
    status: 'D',
    updates: { driver_comments: 'as the clerk said' },
  });
});
