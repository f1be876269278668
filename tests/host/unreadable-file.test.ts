import { expect, test } from 'vitest';
import { routeFile } from './import-fixture.ts';
import { openStage } from './import-stage.ts';

const { pool, imports, sql, dispatch, imported, read, waiting } = await openStage('doorbell');

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
