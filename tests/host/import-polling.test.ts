import { describe, expect, test } from 'vitest';
import { ClosedRounds } from '../../server/src/replication/from-host/closed-rounds.ts';
import { noDrift } from '../../server/src/replication/from-host/drift.ts';
import { HostPolling } from '../../server/src/replication/from-host/host-polling.ts';
import { UnreadDoorbell } from '../../server/src/replication/from-host/unread-doorbell.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { tableOf } from '../support/driven-host.ts';
import { createHost } from '../support/stand-in.ts';
import { routeFile, routeKey } from './import-fixture.ts';
import { openStage } from './import-stage.ts';
import { importSuite } from './import-suite.ts';
import { officeEditSuite } from './office-edit-suite.ts';

// A host without triggers: every change is found by polling.
const gone = { minutes: 0 };
const stage = await openStage('polling', () => new Date(Date.now() + 60_000 * gone.minutes));
const { host, pool, imports, dispatch, sql, imported, read, waiting } = stage;

importSuite(stage);
officeEditSuite(stage);

describe('polling', () => {
  const clock = { now: new Date() };
  const polling = new HostPolling({ db: pool, host, clock: () => clock.now });
  const silenceAll = async () => polling.acknowledge((await polling.poll()).changes.map(({ sequence }) => sequence));
  const later = (seconds: number) => {
    clock.now = new Date(clock.now.getTime() + 1_000 * seconds);
  };

  test('reports like a doorbell: the row, the time, and the last writer', async () => {
    await imported('P1');
    await silenceAll();
    await sql("update RTSTPP set RSSEQ = 9, RSUUSR = 'ANN', RSUPGM = 'PLAN' where RSRTE = 'P1' and RSSTP = 2");
    const [ring] = (await polling.poll()).changes;
    const key = { RSFAC: 'F01', RSRTE: 'P1', RSWKE: '20261121', RSSTP: '2' };
    expect(ring).toMatchObject({ file: 'RTSTPP', operation: 'update', key, user: 'ANN', age: 0, isSettled: false });
    later(5);
    await sql("update RTSTPP set RSSEQ = 8 where RSRTE = 'P1' and RSSTP = 2");
    later(2);
    // Changed again: the age of the last change is short, that of the first one stays.
    const again = (await polling.poll()).changes;
    expect(again).toMatchObject([{ age: 0, waiting: 7_000 }]);
    await polling.acknowledge([ring?.sequence ?? '']);
    expect(await polling.pollAgain()).toHaveLength(1);
    await silenceAll();
    expect((await polling.poll()).changes).toEqual([]);
  });

  test('reports changes of service-owned columns alone, which need no wait', async () => {
    await imported('P2');
    await silenceAll();
    await sql("update RTSTPP set RSSTS = 'S' where RSRTE = 'P2' and RSSTP = 1");
    expect((await polling.poll()).changes).toMatchObject([{ file: 'RTSTPP', isSettled: true }]);
    await silenceAll();
  });

  test('continues after a restart, and gives the same change the same number', async () => {
    await imported('P3');
    await silenceAll();
    await sql("update RTHDRP set RHNAM = 'South' where RHRTE = 'P3'");
    const names = async (one: HostPolling) => (await one.poll()).changes.map(({ sequence }) => sequence);
    const [first, ...others] = await names(polling);
    expect(others).toEqual([]);
    expect(await names(new HostPolling({ db: pool, host, clock: () => clock.now }))).toEqual([first]);
    await imports.importNow();
    expect((await read('P3')).route?.name).toBe('South');
    expect(await names(polling)).toEqual([]);
  });

  test('a route that is closed long after its week is reported, and polled no more', async () => {
    await dispatch({ ...routeFile('P4'), week_end: '20200104' });
    await imports.importNow();
    await sql("update RTHDRP set RHPODS = 'C' where RHRTE = 'P4'");
    await imports.importNow();
    expect((await read('P4')).route?.status).toBe('C');
    const { rows } = await pool.query("select file from host_mark where place like 'F01\tP4\t%'");
    expect(rows).toEqual([]);
  });

  test('a clerk’s edit of a closed route is imported within a quarter of an hour', async () => {
    await imported('P6');
    await sql("update RTHDRP set RHPODS = 'C' where RHRTE = 'P6'");
    await imports.importNow();
    const edit = "update RTSTPP set RSSTS = 'R', RSUUSR = 'ANN', RSUPGM = 'FIX' where RSRTE = 'P6' and RSSTP = 1";
    await sql(edit);
    await imports.importNow();
    expect((await read('P6')).results.get(1)?.result.status).toBe('P');
    gone.minutes += 15;
    await imports.importNow();
    const { route, results } = await read('P6');
    expect(results.get(1)?.result).toMatchObject({ status: 'R', by: [{ client: 'office', by: 'ANN' }] });
    expect(results.get(2)?.result.status).toBe('P');
    const { rows } = await pool.query(`select employee, stop_id from ledger where route_id = 'P6' and stop_id <> 999`);
    expect(rows).toEqual([{ employee: 'ANN', stop_id: 1 }]);

    // The same again is nothing new, and a leased route is reported at the next poll, not in the next round.
    gone.minutes += 15;
    await imports.importNow();
    expect((await read('P6')).route?.version).toBe(route?.version);
    const { leases } = stage.openImport();
    const lease = await leases.acquire(routeKey('P6'));
    if (!lease) throw new Error('the lease of a quiet route is free');
    await sql(edit.replace("'R'", "'S'"));
    gone.minutes += 15;
    await imports.importNow();
    expect((await read('P6')).results.get(1)?.result.status).toBe('R');
    await leases.release(lease);
    await imports.importNow();
    expect((await read('P6')).results.get(1)?.result.status).toBe('S');
    const digests = () => pool.query("select from host_mark where file = 'route' and place like 'F01\tP6\t%'");
    expect((await digests()).rowCount).toBe(1);
    await sql("update RTHDRP set RHPODS = ' ' where RHRTE = 'P6'");
    await imports.importNow();
    expect((await digests()).rowCount).toBe(0);
  });

  test('what a program writes right before it closes the route is imported with the close', async () => {
    await imported('P8');
    await sql("update RTSTPP set RSSTS = 'R', RSUUSR = 'ANN', RSUPGM = 'FIX' where RSRTE = 'P8' and RSSTP = 1");
    await sql("update RTHDRP set RHPODS = 'C' where RHRTE = 'P8'");
    await imports.importNow();
    const { route, results } = await read('P8');
    expect(route?.status).toBe('C');
    expect(results.get(1)?.result.status).toBe('R');
  });

  test('an edit of a closed route carries the user of its row, not of the stop’s planner', async () => {
    await imported('P7');
    await sql("update RTHDRP set RHPODS = 'C' where RHRTE = 'P7'");
    await imports.importNow();
    await sql("update RTSTPP set RSSEQ = 7, RSUUSR = 'PLANNER', RSUPGM = 'PLAN' where RSRTE = 'P7' and RSSTP = 1");
    await sql(`insert into RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RUCMT, RUUUSR, RUUPGM)
      values ('F01', 'P7', 20261121, 1, 'By phone', 'ANN', 'FIX')`);
    gone.minutes += 15;
    await imports.importNow();
    const { rows } = await pool.query(`select employee, stop_id from ledger where route_id = 'P7' and stop_id <> 999`);
    expect(rows).toEqual([{ employee: 'ANN', stop_id: 1 }]);
  });

  test('closed routes take turns: each once in a quarter of an hour, in any number', () => {
    const routes = Array.from({ length: 60 }, (_, n) => `F01\tR${String(n).padStart(3, '0')}\t20261121`);
    const rounds = new ClosedRounds();
    expect(rounds.next(routes, 0)).toEqual([]);
    const looks = Array.from({ length: 450 }, (_, n) => rounds.next(routes, 2_000 * (n + 1)));
    expect(looks.flat()).toEqual(routes);
    expect(Math.max(...looks.map((poll) => poll.length))).toBe(1);
    // After a pause of hours a poll keeps its limit, and a new one comes in its turn.
    const more = ['F01\tR0305\t20261121', ...routes];
    const long = rounds.next(more, 36_000_000);
    expect(long).toEqual([...more].sort().slice(0, 50));
    expect(rounds.next([], 36_002_000)).toEqual([]);
  });

  test('is no drift: a poll’s findings are imported, not reported', async () => {
    await imported('P5');
    await sql("update RTHDRP set RHTRLR = 'T77' where RHRTE = 'P5'");
    expect(await imports.findDrift('routes')).toEqual(noDrift);
    await sql("update RTSTPP set RSSTS = 'R' where RSRTE = 'P5' and RSSTP = 1");
    const { plans, results } = await imports.findDrift('everything');
    expect([...plans, ...results].map(({ id }) => id)).not.toContain('P5');
    expect((await read('P5')).results.get(1)?.result.status).toBe('R');
    expect(await waiting()).toEqual([]);
  });
});

test('triggers on a polled host are reported once, and their lines are deleted', async () => {
  const { host: rung, clerk, database } = await createHost();
  const log = recordedLog();
  const unread = new UnreadDoorbell({ host: rung, log });
  const lines = async () => (await database.pool.query('select from PODDTA.PODCHGP')).rowCount;
  const load = (count: number) =>
    clerk.transaction(async (tx) => {
      for (let n = 0; n < count; n++) await tx.execute('insert into PODDTA.SLSREPP (SRID) values (?)', [`S${n}`]);
    });
  await unread.clear();
  expect(log.lines).toEqual([]);
  await load(1_203);
  expect(await lines()).toBe(1_203);
  await unread.clear();
  expect(await lines()).toBe(0);
  await clerk.transaction((tx) => tx.execute("update PODDTA.SLSREPP set SRNAM = 'Sam' where SRID = 'S7'"));
  await unread.clear();
  expect(await lines()).toBe(0);
  expect(log.lines).toMatchObject([{ level: 'warn', fields: { lines: 1_203 } }]);
  expect(log.lines[0]?.message).toMatch(/^HOST_CHANGES=polling, but .*: drop them/);
  await database.pool.query(`drop table ${await tableOf('PODCHGP')} cascade`);
  await unread.clear();
  expect(log.lines).toHaveLength(1);
});
