import { expect, test } from 'vitest';
import { mapOfCell } from '../../server/src/host/files/triggers.ts';
import { plainMap } from '../../server/src/host/files/library-map.ts';
import { Doorbell } from '../../server/src/host/reads/doorbell.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { db2Script } from '../../server/src/host/db2/ddl.ts';
import type { CellFacilities } from '../../server/src/modes/cell-facilities.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { routeFile } from './import-fixture.ts';
import { openStage } from './import-stage.ts';

// FACILITIES: what a cell takes from a library that it shares (docs/scaling.md).

const stage = await openStage('doorbell');
const { host, pool, dispatch, sql, read } = stage;
const importOf = (facilities: CellFacilities) =>
  stage.openImport(host, 3_600, pool, undefined, undefined, facilities).imports;
const south = (id: string) => ({ ...routeFile(id, { drivers: ['1001', '2001'] }), facility: 'F02' });
const idsOf = async (text: string) => (await pool.query<{ id: string }>(text)).rows.map(({ id }) => id);

test('a cell takes its facilities, their employees and the drivers of its routes, and nothing else', async () => {
  const cell = importOf(new Map([['F02', '']]));
  await sql("insert into FACMSTP (FAFAC, FANAM, FATZ) values ('F02', 'Springfield', 'America/Chicago')");
  await sql("insert into EMPMSTP (EMEMP, EMNAM, EMSTS, EMFAC) values ('2001', 'Sue', 'A', 'F02')");
  await dispatch(routeFile('NORTH'));
  await dispatch(south('SOUTH'));
  await cell.importNow();
  expect(await idsOf('select id from route')).toEqual(['SOUTH']);
  expect(await idsOf('select id from facility')).toEqual(['F02']);
  // 1001 belongs to F01 and drives a route of F02.
  expect(await idsOf('select id from employee where active order by 1')).toEqual(['1001', '2001']);
  await sql("update RTHDRP set RHNAM = 'Touched' where RHRTE = 'NORTH'");
  await cell.importNow();
  expect((await read('NORTH')).route).toBeUndefined();
  expect(await stage.waiting()).toEqual([]);
  expect(await cell.findDrift('everything')).toMatchObject({ plans: [], results: [] });
});

test('a driver of another facility comes with the next try where his file cannot be read, and lines do not wait for him', async () => {
  const cell = importOf(new Map([['F02', '']]));
  await cell.importNow();
  await dispatch({ ...routeFile('GUEST', { drivers: ['1002'] }), facility: 'F02' });
  await pool.query('alter table PODDTA.EMPMSTP rename to EMPMSTP_AWAY');
  await expect(cell.importNow()).rejects.toThrow('empmstp');
  expect((await read('GUEST')).route).toMatchObject({ status: 'O' });
  expect(await stage.waiting()).toEqual([]);
  await pool.query('alter table PODDTA.EMPMSTP_AWAY rename to EMPMSTP');
  await cell.importNow();
  expect(await idsOf("select id from employee where id = '1002'")).toEqual(['1002']);
});

test('a depot moves at the end of a week: its open routes stay where they are, and new ones come in the other cell', async () => {
  const former = importOf(new Map([['F01', '']]));
  const other = importOf(new Map([['F02', '20261128']]));
  await former.importNow();
  await sql("update RTHDRP set RHNAM = 'Goes on' where RHRTE = 'SOUTH'");
  await sql("update RTSTPP set RSSTS = 'R' where RSRTE = 'SOUTH' and RSSTP = 1");
  await dispatch({ ...south('NEXT'), week_end: '20261128' });
  await former.importNow();
  const { route, results } = await read('SOUTH');
  expect([route?.name, results.get(1)?.result.status]).toEqual(['Goes on', 'R']);
  expect((await read('NEXT')).route).toBeUndefined();
  // The other cell has a mirror of its own: here it is one that lacks the route.
  await dispatch(south('LATE'));
  await sql("update RTHDRP set RHNAM = 'Touched' where RHRTE = 'NEXT'");
  await other.importNow();
  expect((await read('NEXT')).route).toMatchObject({ name: 'Touched' });
  expect((await read('LATE')).route).toBeUndefined();
});

test('cells of one library have a doorbell each, and clear no lines of another one', async () => {
  const open = async (cell: string) => {
    const { database } = stage;
    const { library } = host;
    const own = await openStandIn({ url: database.url, library, log: recordedLog(), map: mapOfCell(cell), size: 2 });
    atFileEnd(() => own.close());
    return new Doorbell(own);
  };
  const [north, west, plain] = [await open('north'), await open('west_of_chicago'), new Doorbell(host)];
  // A second start finds the files as they are.
  await open('north');
  const lines = async (doorbell: Doorbell) =>
    (await doorbell.poll()).changes.map(({ sequence, file }) => ({ sequence, file }));
  for (const doorbell of [north, west, plain])
    await doorbell.acknowledge((await lines(doorbell)).map(({ sequence }) => sequence));
  await sql("update RTHDRP set RHNAM = 'Rings' where RHRTE = 'SOUTH'");
  await north.acknowledge((await lines(north)).map(({ sequence }) => sequence));
  expect([await lines(north), await lines(west), await lines(plain)]).toMatchObject([
    [],
    [{ file: 'RTHDRP' }],
    [{ file: 'RTHDRP' }],
  ]);
});

test('the script for a DBA makes the doorbell of a cell in a library that exists, and nothing else', () => {
  const doorbell = mapOfCell('chicago').table('PODCHGP');
  expect(doorbell).toMatch(/^PODC[0-9A-F]{6}$/);
  const script = db2Script('db2i', 'PODDTA', mapOfCell('chicago'));
  expect(script.match(/create table \S+/g)).toEqual([`create table PODDTA."${doorbell}"`]);
  expect(script).toContain(`create or replace trigger PODDTA.RTHDRP_${doorbell}_I`);
  expect(script).not.toMatch(/PODCHGP\b(?!R)/);
  expect(mapOfCell('public')).toBe(plainMap);
});
