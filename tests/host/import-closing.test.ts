import { expect, test } from 'vitest';
import { HostError, type Host } from '../../server/src/host/host.ts';
import { importDeps, routeFile, routeKey } from './import-fixture.ts';

// Import beside closes: drivers and the office both change a route's state.

const aDate: unknown = expect.any(Date);

const deps = await importDeps();
const { clerk, host, pool, dispatch, read } = deps;
const { imports } = deps.openImport();

const sql = (statement: string) => clerk.transaction((tx) => tx.execute(statement));

/** A dispatched route in the mirror. */
const imported = async (id: string): Promise<void> => {
  await dispatch(routeFile(id));
  await imports.importNow();
};

test('a driver’s close that commits while the office notes a return is kept', async () => {
  await imported('R1');
  const driver = await pool.connect();
  await driver.query('begin');
  await driver.query(
    `update route set status = 'C', closed_at = now(), closed_by = 'D', version = 2, header_version = 2 where id = 'R1'`,
  );
  await sql("update RTHDRP set RHRETM = 'Y' where RHRTE = 'R1'");
  const taken = imports.importEdits([{ key: routeKey('R1'), stop: -1 }]);
  const waiting = `select from pg_stat_activity
    where wait_event_type = 'Lock' and query like '%from route%' and datname = current_database()`;
  await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
  await driver.query('commit');
  driver.release();
  await taken;
  expect((await read('R1')).route).toMatchObject({ status: 'C', closed_by: 'D', arrived: true, version: 3 });
});

test('the timer that a driver has started continues when the office notes the return', async () => {
  await imported('R2');
  await pool.query(`update route set autoclose_at = now() + interval '10 minutes' where id = 'R2'`);
  await sql("update RTHDRP set RHRETM = 'Y' where RHRTE = 'R2'");
  await imports.importNow();
  expect((await read('R2')).route).toMatchObject({ status: 'O', arrived: true, autoclose_at: aDate, version: 2 });
});

test('a reload begins one new epoch, however often its rows are read', async () => {
  await imported('R3');
  const { leases } = deps.openImport();
  const lease = await leases.acquire(routeKey('R3'));
  if (!lease) throw new Error('the lease of a quiet route is free');
  await sql("delete from RTHDRP where RHRTE = 'R3'");
  await dispatch({ ...routeFile('R3'), name: 'Again' });
  await sql("update RTSTPP set RSSTS = 'R' where RSRTE = 'R3' and RSSTP = 1");
  await imports.importNow();
  await pool.query(`update route set status = 'C', closed_by = 'D', closed_at = now() where id = 'R3'`);
  await imports.importNow();
  expect((await read('R3')).route).toMatchObject({ epoch: 2, status: 'C', name: 'Again' });
  await leases.release(lease);
  await imports.importNow();
  expect((await read('R3')).route).toMatchObject({ epoch: 2, status: 'C' });
  expect(await host.query('select CHFIL, CHKEY from PODCHGP')).toEqual([]);
});

test('a crash between a reload and the removal of its line begins no second epoch', async () => {
  await imported('R4');
  await sql("delete from RTHDRP where RHRTE = 'R4'");
  await dispatch(routeFile('R4'));
  // The route's rows are read; then the process is killed before it has removed the line.
  let reads = 1;
  const dying: Host = {
    ...host,
    transaction: (work) => {
      reads -= 1;
      return reads < 0 ? Promise.reject(new HostError('08003', 'the connection broke')) : host.transaction(work);
    },
  };
  const { imports: killed } = deps.openImport(dying);
  await expect(killed.importNow()).rejects.toThrow('the connection broke');
  expect((await read('R4')).route).toMatchObject({ epoch: 2 });
  await pool.query(`update route set status = 'C', closed_by = 'D', closed_at = now() where id = 'R4'`);
  await imports.importNow();
  expect((await read('R4')).route).toMatchObject({ epoch: 2, status: 'C' });

  // The next reload is another one.
  await sql("delete from RTHDRP where RHRTE = 'R4'");
  await dispatch(routeFile('R4'));
  await imports.importNow();
  expect((await read('R4')).route).toMatchObject({ epoch: 3, status: 'O' });
});
