import { expect, test } from 'vitest';
import { facilitiesInUtc } from '../../server/src/replication/from-host/facility-clocks.ts';
import { routeFile } from './import-fixture.ts';
import { openStage } from './import-stage.ts';

const { deliver, dispatch, imports, pool, read, sql, openImport } = await openStage('doorbell');
await imports.importNow();

const incidents = async () =>
  (
    await pool.query<{ details: string }>(
      `select details from incident where kind = 'facility_without_zone' order by at, details`,
    )
  ).rows.map(({ details }): unknown => JSON.parse(details));
const ofFacility = (id: string, facility: string) => ({ ...routeFile(id), facility });

test('an invalid time zone is an incident and a readiness sentence, once, until it is corrected', async () => {
  expect(await facilitiesInUtc(pool)).toEqual([]);
  await sql("update FACMSTP set FATZ = 'America/Chigaco' where FAFAC = 'F01'");
  await imports.importNow();
  expect(await incidents()).toEqual([]);
  await dispatch(routeFile('Z1'));
  await imports.importNow();
  expect(await incidents()).toEqual([{ facility: 'F01', zone: 'America/Chigaco' }]);
  expect(await facilitiesInUtc(pool)).toEqual([{ facility: 'F01', zone: 'America/Chigaco' }]);
  await dispatch(routeFile('Z2'));
  await imports.importNow();
  await openImport().imports.importNow();
  expect(await incidents()).toHaveLength(1);
  await sql("update FACMSTP set FATZ = 'America/Chicago' where FAFAC = 'F01'");
  await imports.importNow();
  expect(await facilitiesInUtc(pool)).toEqual([]);
  await sql("update FACMSTP set FATZ = 'CST6' where FAFAC = 'F01'");
  await imports.importNow();
  expect(await incidents()).toHaveLength(2);
  await sql("update FACMSTP set FATZ = 'America/Chicago' where FAFAC = 'F01'");
  await imports.importNow();
});

test('a missing facility is an incident and a readiness sentence, until it comes or its routes are gone', async () => {
  await dispatch(ofFacility('Z3', 'F77'));
  await dispatch(ofFacility('Z4', 'F78'));
  await imports.importNow();
  const expected = [
    { facility: 'F77', zone: '' },
    { facility: 'F78', zone: '' },
  ];
  expect((await incidents()).slice(2)).toEqual(expected);
  expect(await facilitiesInUtc(pool)).toEqual(expected);
  await sql("insert into FACMSTP (FAFAC, FANAM, FATZ) values ('F77', 'South', 'America/Denver')");
  await sql("delete from RTHDRP where RHFAC = 'F78'");
  await imports.importNow();
  expect(await facilitiesInUtc(pool)).toEqual([]);
  expect((await pool.query(`select name, zone from facility where id = 'F77'`)).rows).toEqual([
    { name: 'South', zone: 'America/Denver' },
  ]);
});

test('a facility that is deleted keeps its clock, both ways', async () => {
  await dispatch(routeFile('Z5'));
  await imports.importNow();
  await deliver('Z5', 1);
  await sql("delete from FACMSTP where FAFAC = 'F01'");
  await sql("update RTHDRP set RHPODS = 'C', RHCLDT = 20261120, RHCLTM = 173000, RHCLBY = 'D' where RHRTE = 'Z5'");
  await imports.importNow();
  // 17:30 at the depot in Chicago, in November.
  expect((await read('Z5')).route?.closed_at?.toISOString()).toBe('2026-11-20T23:30:00.000Z');
  expect(await facilitiesInUtc(pool)).toEqual([]);
});
