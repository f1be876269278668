import { describe, expect, test } from 'vitest';
import { findPendingRoute } from '../../server/src/routes/queries.ts';
import { openDepot } from '../support/depot.ts';
import { routeFile } from './import-fixture.ts';
import { openStage } from './import-stage.ts';

const aDate: unknown = expect.any(Date);

// A host keeps the headers of years, and some were never closed.

describe.each(['doorbell', 'polling'] as const)('IMPORT_FROM by %s', async (by) => {
  const stage = await openStage(by);
  const { host, pool, dispatch, sql, read, deliver, imports } = stage;
  const startFrom = (week: string) => stage.openImport(host, 3_600, pool, week).imports;
  const incidents = async () => (await pool.query<{ kind: string }>('select kind from incident')).rows;

  test('an open header of an earlier week is not imported, and the driver gets this week’s', async () => {
    const later = startFrom('20260101');
    await dispatch({ ...routeFile('OLD'), week_end: '20240106' });
    await dispatch(routeFile('NEW'));
    await later.importNow();
    await sql("update RTHDRP set RHNAM = 'Touched' where RHRTE = 'OLD'");
    await sql("update RTSTPP set RSSTS = 'R' where RSRTE = 'OLD' and RSSTP = 1");
    await later.importNow();
    expect(await later.findDrift('everything')).toMatchObject({ plans: [], results: [] });
    expect((await read('OLD')).route).toBeUndefined();
    expect(await findPendingRoute(pool, '1001')).toMatchObject({ id: 'NEW' });
    expect((await later.findDrift('routes')).plans).toEqual([]);
  });

  test('an open route whose week is over is withdrawn at the start, with its record', async () => {
    await dispatch({ ...routeFile('AGED'), week_end: '20260606' });
    await dispatch({ ...routeFile('DONE'), week_end: '20260606' });
    await imports.importNow();
    await sql("update RTHDRP set RHPODS = 'C' where RHRTE = 'DONE'");
    await imports.importNow();
    // The oldest open week is the pending one.
    expect(await findPendingRoute(pool, '1001')).toMatchObject({ id: 'OLD' });
    await startFrom('20260613').importNow();
    expect((await read('AGED')).route).toMatchObject({ status: 'O', withdrawn_at: aDate });
    expect((await read('DONE')).route).toMatchObject({ status: 'C', withdrawn_at: null });
    expect(await findPendingRoute(pool, '1001')).toMatchObject({ id: 'NEW' });
  });

  test('later changes do not bring it back, and an earlier week does', async () => {
    const later = startFrom('20260613');
    await sql("update RTHDRP set RHNAM = 'Touched' where RHRTE = 'AGED'");
    await later.importNow();
    expect((await read('AGED')).route).toMatchObject({ name: 'North', withdrawn_at: aDate });
    await startFrom('20260606').importNow();
    expect((await read('AGED')).route).toMatchObject({ name: 'Touched', epoch: 2, withdrawn_at: null });
  });

  test('a route that outlives its week is withdrawn by the next comparison, which is no drift', async () => {
    await deliver('NEW', 1);
    const later = startFrom('20260613');
    await later.importNow();
    await dispatch({ ...routeFile('SLOW'), week_end: '20260606' });
    await imports.importNow();
    expect((await read('SLOW')).route).toMatchObject({ withdrawn_at: null });
    expect(await later.findDrift('everything')).toMatchObject({ plans: [], results: [] });
    expect((await read('SLOW')).route).toMatchObject({ withdrawn_at: aDate });
    expect((await read('NEW')).route).toMatchObject({ withdrawn_at: null });
    expect(await incidents()).toEqual([]);
  });
});

test('without IMPORT_FROM a week is over after eight weeks; a driver’s late change is flagged and reaches the host', async () => {
  const depot = await openDepot();
  const route = await depot.addRoute('LATE', [1]);
  const state = async () =>
    (await depot.database.pool.query<{ withdrawn: boolean }>(`select withdrawn_at is not null as withdrawn from route`))
      .rows;
  const weeksLater = async (weeks: number) => {
    depot.clock.now = new Date(depot.clock.now.getTime() + weeks * 7 * 86_400_000);
    await depot.compareAll();
  };
  await weeksLater(8);
  expect(await state()).toEqual([{ withdrawn: false }]);
  await weeksLater(2);
  expect(await state()).toEqual([{ withdrawn: true }]);
  const outcome = await depot.record(route, { id: 1, updates: { status: 'D' } });
  expect(outcome).toMatchObject({ result: 'applied', warnings: [{ code: 'route_withdrawn' }] });
  await depot.replicateOnce(route);
  expect(await depot.show('RTSTUP', "RURTE = 'LATE'")).toMatchObject([{ RUSTS: 'D' }]);
});
