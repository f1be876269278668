import { expect, test, vi } from 'vitest';
import { routeFile, routeKey } from './import-fixture.ts';
import { openStage } from './import-stage.ts';

const { pool, imports, sql, dispatch, imported, read, waiting, openImport } = await openStage('doorbell');

test('a file that the import cannot read holds up the routes that need it, with one incident, and no others', async () => {
  await imported('U1');
  await pool.query('alter table PODDTA.RTIMGP rename to RTIMGP_AWAY');
  await sql("update RTSTPP set RSSEQ = 9, RSSTS = 'D' where RSRTE = 'U1' and RSSTP = 1");
  await dispatch(routeFile('U2'));
  expect(await imports.importNow()).toBe(false);
  expect((await read('U2')).route).toMatchObject({ status: 'O' });
  // The plan needs no such file.
  expect((await read('U1')).plans[0]?.plan.sequence).toBe(9);
  expect((await read('U1')).results.get(1)?.result.status).toBe('P');
  await imports.findDrift('routes');
  const { rows } = await pool.query<{ details: string }>(
    `select details from incident where kind = 'host_file_paused'`,
  );
  expect(rows.map(({ details }) => details.includes('"file":"RTIMGP"'))).toEqual([true]);

  await pool.query('alter table PODDTA.RTIMGP_AWAY rename to RTIMGP');
  expect((await waiting()).length).toBeGreaterThan(0);
  await sql("update RTSTPP set RSSEQ = 8 where RSRTE = 'U1' and RSSTP = 1");
  expect(await imports.importNow()).toBe(true);
  expect((await read('U1')).results.get(1)?.result.status).toBe('D');
  expect(await waiting()).toEqual([]);
});

test('a first load goes on when the file of its last route can be read again, and that route is no drift', async () => {
  await dispatch(routeFile('U3'));
  await sql("update RTSTPP set RSSTS = 'D' where RSRTE = 'U3' and RSSTP = 1");
  await sql('delete from PODCHGP');
  await pool.query('alter table PODDTA.RTIMGP rename to RTIMGP_AWAY');
  const start = openImport().imports;
  expect(await start.importNow()).toBe(false);
  const hasEnded = async () =>
    (await pool.query<{ ended: boolean }>('select ended_at is not null as ended from first_load')).rows;
  expect(await hasEnded()).toEqual([{ ended: false }]);

  await pool.query('alter table PODDTA.RTIMGP_AWAY rename to RTIMGP');
  const { plans, unjudged } = await start.findDrift('routes');
  expect(plans).toEqual([]);
  expect(unjudged).toContainEqual(routeKey('U3'));
  expect((await read('U3')).route).toBeUndefined();
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 15_000);
  expect(await start.importNow()).toBe(true);
  vi.restoreAllMocks();
  expect((await read('U3')).results.get(1)?.result.status).toBe('D');
  expect(await hasEnded()).toEqual([{ ended: true }]);
});
