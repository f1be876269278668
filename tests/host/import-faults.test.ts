import { expect, test, vi } from 'vitest';
import type { Db } from '../../server/src/db/types.ts';
import { HostError, type Host } from '../../server/src/host/host.ts';
import { loadRouteState } from '../../server/src/replication/from-host/import-sql.ts';
import { routeFile, routeKey } from './import-fixture.ts';
import { openStage } from './import-stage.ts';

// Failures and changes in the middle of an import or of a comparison.

const { host, pool, sql, dispatch, imported, read, waiting, openImport } = await openStage('doorbell');

const withoutDoorbell = async (statement: string) => {
  await sql(statement);
  await sql('delete from PODCHGP');
};
const isHosted = (id: string) => pool.query(`update route set hosted_through = version where id = $1`, [id]);
const incidents = async (kind: string) =>
  (await pool.query<{ details: string }>('select details from incident where kind = $1', [kind])).rows.map(
    ({ details }): unknown => JSON.parse(details),
  );

/** An import whose reads of routes fail as `failure` says. */
function importWith(failure: () => Promise<HostError | undefined>) {
  const transaction: Host['transaction'] = async (work) => {
    const error = await failure();
    if (error) throw error;
    return host.transaction(work);
  };
  return openImport({ ...host, transaction }).imports;
}

/** Comparisons in which something happens after a look at the state of a route. */
function comparisonWith(happen: (id: string) => Promise<void>) {
  const db: Db = {
    connect: () => pool.connect(),
    query: async (statement, values) => {
      const found = await pool.query(statement, values);
      if (statement === loadRouteState) await happen(String(values?.[1]));
      return found;
    },
  };
  return openImport(host, 3_600, db).imports;
}

const internalError = () => new HostError('58004', 'SQL0901');

test('after an internal error of the host a route is not judged, until the fifth one behind the other', async () => {
  await imported('F1');
  let failures = 1;
  const imports = importWith(async () => (failures-- > 0 ? internalError() : undefined));
  const unjudged = async () => (await imports.findDrift('routes')).unjudged;
  expect(await unjudged()).toEqual([routeKey('F1')]);
  expect(await unjudged()).toEqual([]);
  failures = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 4; n++) expect(await unjudged()).toEqual([routeKey('F1')]);
  expect(await incidents('route_import_failed')).toEqual([]);
  expect(await unjudged()).toEqual([]);
  expect(await incidents('route_import_failed')).toEqual([{ route: routeKey('F1'), reason: 'SQL0901' }]);
});

test('a route that met an internal error keeps its doorbell lines, and comes with the next try', async () => {
  let failures = 0;
  const imports = importWith(async () => (failures-- > 0 ? internalError() : undefined));
  await imports.importNow();
  await dispatch(routeFile('F2'));
  failures = 1;
  expect(await imports.importNow()).toBe(false);
  expect((await waiting()).length).toBeGreaterThan(0);
  // Another line is a reason for the next try.
  await sql("update RTSTPP set RSSEQ = 9 where RSRTE = 'F2' and RSSTP = 1");
  expect(await imports.importNow()).toBe(true);
  expect((await read('F2')).plans[0]?.plan.sequence).toBe(9);
});

test('a route of the first load that waits for a file comes, also where a try of it meets a lost connection', async () => {
  await dispatch(routeFile('F6'));
  await withoutDoorbell("update RTSTPP set RSSTS = 'D' where RSRTE = 'F6' and RSSTP = 1");
  const passing: HostError[] = [];
  const imports = importWith(async () => passing.pop());
  await pool.query('alter table PODDTA.RTIMGP rename to RTIMGP_AWAY');
  expect(await imports.importNow()).toBe(false);
  await pool.query('alter table PODDTA.RTIMGP_AWAY rename to RTIMGP');
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 15_000);
  passing.push(new HostError('08001', 'the connection is lost'));
  await expect(imports.importNow()).rejects.toThrow('connection');
  expect(await imports.importNow()).toBe(true);
  vi.restoreAllMocks();
  expect((await read('F6')).results.get(1)?.result.status).toBe('D');
  const { rows } = await pool.query<{ left: number }>(
    'select routes_left as left from first_load where ended_at is null',
  );
  expect(rows).toEqual([]);
});

test('a driver’s new name reaches the phones, also where the import fails right behind it', async () => {
  await imported('F3', { drivers: ['1003'] });
  const failures: HostError[] = [];
  const imports = importWith(async () => failures[0]);
  await imports.importNow();
  const before = (await read('F3')).route;
  await sql("update EMPMSTP set EMNAM = 'Jane Doe' where EMEMP = '1003'");
  failures.push(new HostError('22001', 'the value is too long'));
  await expect(imports.importNow()).rejects.toThrow('too long');
  expect((await read('F3')).route?.header_version).toBe((before?.version ?? 0) + 1);
});

test('drift: an edit of the office during the comparison is none where a line reports it', async () => {
  await imported('F4');
  await isHosted('F4');
  let looks = 0;
  const during = comparisonWith(async (id) => {
    if (id !== 'F4') return;
    looks += 1;
    if (looks === 2) await sql("update RTSTPP set RSSTS = 'D' where RSRTE = 'F4' and RSSTP = 2");
  });
  expect(await during.findDrift('routes')).toMatchObject({ plans: [], results: [] });
  expect(looks).toBe(2);
  expect((await read('F4')).results.get(2)?.result.status).toBe('D');
  await during.importNow();
  expect((await pool.query(`select from ledger where route_id = 'F4'`)).rowCount).toBe(1);
  await isHosted('F4');
});

test('drift: what was taken in before a failure is reported, and the route is compared again', async () => {
  await imported('F5');
  await isHosted('F5');
  await withoutDoorbell("update RTSTPP set RSSTS = 'D' where RSRTE = 'F5' and RSSTP in (1, 2)");
  const edits = async () => (await pool.query(`select from ledger where route_id = 'F5'`)).rowCount;
  let isBroken = true;
  const imports = importWith(async () => (isBroken && (await edits()) === 1 ? internalError() : undefined));
  const five = [routeKey('F5')];
  expect(await imports.compareRoutes(five)).toMatchObject({ results: five, unjudged: five });
  expect(await incidents('host_drift')).toEqual([{ route: routeKey('F5'), plan: false, results: true }]);
  isBroken = false;
  await isHosted('F5');
  expect(await imports.compareRoutes(five)).toMatchObject({ results: five, unjudged: [] });
  expect(await edits()).toBe(2);
});

test('drift: a stop ends behind the closed route that is being compared', async () => {
  const ids = ['C1', 'C2', 'C3'];
  for (const id of ids) await imported(id);
  await sql("update RTHDRP set RHPODS = 'C' where RHRTE in ('C1', 'C2', 'C3')");
  await openImport().imports.importNow();
  let stopped: Promise<void> | undefined;
  const compared = new Set<string>();
  const during = comparisonWith(async (id) => {
    if (!ids.includes(id)) return;
    compared.add(id);
    stopped ??= during.stop();
  });
  const { unjudged } = await during.findDrift('routes');
  expect(unjudged).toEqual(expect.arrayContaining(ids.map(routeKey)));
  await stopped;
  expect(compared.size).toBe(1);
});
