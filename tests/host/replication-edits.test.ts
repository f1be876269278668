import { describe, expect, onTestFinished, test } from 'vitest';
import { withTransaction } from '../../server/src/db/transaction.ts';
import { bindQueue } from '../server/mutations/fixture.ts';
import { openDepot } from '../support/depot.ts';
import { TestQueue } from '../support/sealing.ts';

const depot = await openDepot();
const { pool } = depot.database;
let worker = depot.worker();
await worker.start();

const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const later = (seconds: number) => {
  depot.clock.now = new Date(depot.clock.now.getTime() + seconds * 1000);
};
const exception = (quantity: number) => [{ osd_id: 'ab12cd', osd_code: 10, data: [{ quantity, comment: 'dented' }] }];
const parse: (text: string) => unknown = JSON.parse;
const line = (osd_data: ReturnType<typeof exception>) => [{ id: 'ITEM1', invoice: 'INV1', updates: { osd_data } }];

describe('a clerk writes into service-owned columns', () => {
  test('no edit is overwritten: it is imported first, then the driver’s other fields go out', async () => {
    const key = await depot.addRoute('CLERK', [1]);
    await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'left at dock' } });
    await depot.untilHosted(key);
    await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Erika Clerk' where RURTE = 'CLERK'`);
    later(1);
    // The import has not read the doorbell yet: the worker meets the clerk's row by itself.
    await depot.record(key, { id: 1, updates: { driver_comments: 'left inside' } });
    await depot.untilHosted(key);
    expect(await depot.show('RTSTUP', "RURTE = 'CLERK'")).toMatchObject([
      { RUSNAM: 'Erika Clerk', RUCMT: 'left inside' },
    ]);
    const { rows } = await pool.query(`select source from ledger where route_id = 'CLERK' order by version, source`);
    expect(rows).toContainEqual({ source: 'office' });
  });

  test('a close by the office while the worker writes the route: the import waits for the lease', async () => {
    const key = await depot.addRoute('LEASED', [1]);
    // The worker takes the route and waits for a stop that a program of the host has locked.
    const unlocked = Promise.withResolvers<void>();
    onTestFinished(() => unlocked.resolve());
    const locked = Promise.withResolvers<void>();
    const program = withTransaction(pool, async (tx) => {
      await tx.query('lock table PODDTA.RTSTUP in exclusive mode');
      locked.resolve();
      await unlocked.promise;
    });
    await locked.promise;
    await depot.record(key, { id: 1, updates: delivered });
    const leases = `select from route_lease where route_id = 'LEASED' and expires_at > now()`;
    await expect.poll(async () => (await pool.query(leases)).rowCount).toBe(1);
    await depot.clerk(`update PODDTA.RTHDRP set RHPODS = 'C', RHCLBY = 'F', RHNAM = 'Seen' where RHRTE = 'LEASED'`);
    const imported = depot.importNow();
    // The plan needs no lease: the import has come to the close.
    const route = async (): Promise<object[]> =>
      (await pool.query<object>(`select name, status, closed_by from route where id = 'LEASED'`)).rows;
    await expect.poll(route).toMatchObject([{ name: 'Seen', status: 'O' }]);
    unlocked.resolve();
    await program;
    await imported;
    expect(await route()).toMatchObject([{ status: 'C', closed_by: 'F' }]);
    await depot.untilHosted(key);
  });

  test('any number of stops of a route: all edits are imported together, and no stop is parked', async () => {
    const stops = [1, 2, 3, 4, 5, 6];
    const key = await depot.addRoute('MANY', stops);
    for (const id of stops) await depot.record(key, { id, updates: delivered });
    await depot.untilHosted(key);
    await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Erika Clerk' where RURTE = 'MANY'`);
    later(1);
    for (const id of stops) await depot.record(key, { id, updates: { driver_comments: `left at ${id}` } });
    await depot.untilHosted(key);
    expect(await depot.show('RTSTUP', "RURTE = 'MANY'")).toMatchObject(
      stops.map((id) => ({ RUSNAM: 'Erika Clerk', RUCMT: `left at ${id}` })),
    );
    expect((await pool.query(`select reason from parked where route_id = 'MANY'`)).rows).toEqual([]);
  });

  /** The state that a worker leaves which is killed between the host's commit and its confirmation. */
  async function loseConfirmations(route: string): Promise<void> {
    await worker.stop();
    await pool.query('delete from host_shadow where route_id = $1', [route]);
    await pool.query('update route set hosted_through = 0 where id = $1', [route]);
  }

  const officeEdits = async (route: string): Promise<string[]> => {
    const { rows } = await pool.query<{ body: string }>(
      `select body from ledger where route_id = $1 and source = 'office'`,
      [route],
    );
    return rows.map(({ body }) => body);
  };

  async function startWorker(): Promise<void> {
    worker = depot.worker();
    await worker.start();
  }

  test('after a worker that was killed before its confirmation, the import takes only the clerk’s own values as the clerk’s', async () => {
    const key = await depot.addRoute('UNNOTED', [1]);
    await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'left at dock' } });
    await depot.untilHosted(key);
    await loseConfirmations('UNNOTED');
    await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Erika Clerk' where RURTE = 'UNNOTED'`);
    await startWorker();
    await depot.untilHosted(key);
    const edits = await officeEdits('UNNOTED');
    expect(edits).toEqual([expect.stringContaining('Erika Clerk')]);
    expect(edits.join()).not.toContain('left at dock');
  });

  test('the same where the driver’s clock was wrong, and the stop has changed since', async () => {
    const key = await depot.addRoute('SLOW-CLOCK', [1]);
    const queue = new TestQueue();
    const [serverNow, lag] = [depot.clock.now.getTime(), 90_000];
    const clock = { bootId: 'another', monotonicMs: 0, deviceNow: serverNow - lag, serverNow };
    const session = { ...(await bindQueue(depot.database, queue, '1001')), clock };
    const end_delivery_time = new Date(serverNow - 30_000 - lag).toISOString();
    const stop = { id: 1, updates: { status: 'D', end_delivery_time, driver_comments: 'left at dock' } };
    const args = { route: key, stop, device_times: ['end_delivery_time'] };
    await depot.pipeline.push(session, [queue.seal('stop.update', args, new Date(serverNow - 20_000 - lag))]);
    await depot.untilHosted(key);
    await loseConfirmations('SLOW-CLOCK');
    later(1);
    await depot.record(key, { id: 1, updates: { driver_comments: 'inside, after all' } });
    later(1);
    await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Erika Clerk' where RURTE = 'SLOW-CLOCK'`);
    await startWorker();
    await depot.untilHosted(key);
    const edits = await officeEdits('SLOW-CLOCK');
    expect(edits).toEqual([expect.stringContaining('Erika Clerk')]);
    expect(edits.join()).not.toMatch(/status|end_delivery_time|dock/);
  });

  test('the same where a later record overrules the clerk: it is written again, and the stop is not parked', async () => {
    const key = await depot.addRoute('OVERRULED', [1]);
    later(60);
    await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'left at dock' } });
    await depot.untilHosted(key);
    await loseConfirmations('OVERRULED');
    later(-60);
    await depot.clerk(`update PODDTA.RTSTUP set RUCMT = 'at the gate' where RURTE = 'OVERRULED'`);
    await startWorker();
    await depot.waitUntil(async () => (await officeEdits('OVERRULED')).length > 0);
    await depot.untilHosted(key);
    expect(await depot.show('RTSTUP', "RURTE = 'OVERRULED'")).toMatchObject([{ RUCMT: 'left at dock' }]);
    expect((await pool.query(`select reason from parked where route_id = 'OVERRULED'`)).rows).toEqual([]);
    later(60);
  });

  test('the same where the stop has changed since: the driver’s correction is kept', async () => {
    const key = await depot.addRoute('MOVED', [1]);
    const products = line(exception(3));
    await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'left at dock' }, products });
    await depot.untilHosted(key);
    await pool.query(`create table noted as select * from host_shadow where route_id = 'MOVED'`);
    later(1);
    const said = { store_emp_name: 'Ana', driver_comments: 'at the door' };
    await depot.record(key, { id: 1, updates: said, products: line(exception(2)) });
    await depot.untilHosted(key);
    // The second write was not confirmed.
    await worker.stop();
    await pool.query(`delete from host_shadow where route_id = 'MOVED'`);
    await pool.query(`insert into host_shadow select * from noted`);
    await pool.query(`update route set hosted_through = hosted_through - 1 where id = 'MOVED'`);
    later(1);
    await depot.record(key, { id: 1, updates: { driver_comments: 'inside, after all' }, products: line(exception(1)) });
    later(1);
    await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Erika Clerk' where RURTE = 'MOVED'`);
    worker = depot.worker();
    await worker.start();
    await depot.untilHosted(key);
    expect(await depot.show('RTSTUP', "RURTE = 'MOVED'")).toMatchObject([
      { RUSNAM: 'Erika Clerk', RUCMT: 'inside, after all' },
    ]);
    expect(await depot.show('RTOSDP', "OSRTE = 'MOVED' and OSDELF <> 'Y'")).toMatchObject([{ OSQTY: '1' }]);
    const { rows } = await pool.query<{ body: string }>(
      `select body from ledger where route_id = 'MOVED' and source = 'office'`,
    );
    expect(rows.map(({ body }) => parse(body))).toMatchObject([
      { args: { stop: { id: 1, updates: { store_emp_name: 'Erika Clerk' } } } },
    ]);
    expect(rows[0]?.body).not.toMatch(/comment|products|delivery_time/);
  });

  test('before any row of ours is there', async () => {
    const key = await depot.addRoute('EARLY', [1]);
    await depot.clerk(`update PODDTA.RTSTPP set RSSTS = 'S' where RSRTE = 'EARLY'`);
    later(1);
    await depot.record(key, { id: 1, updates: { driver_comments: 'seen nobody' } });
    await depot.untilHosted(key);
    expect(await depot.show('RTSTPP', "RSRTE = 'EARLY'")).toMatchObject([{ RSSTS: 'S' }]);
    expect(await depot.show('RTSTUP', "RURTE = 'EARLY'")).toMatchObject([{ RUSTS: 'S', RUCMT: 'seen nobody' }]);
  });

  test('an edit that the import does not accept parks the stop, and the host keeps it', async () => {
    const other = depot.worker({ importNow: () => Promise.resolve() });
    await worker.stop();
    const key = await depot.addRoute('STUCK', [1, 2]);
    await depot.clerk(`update PODDTA.RTSTPP set RSSTS = 'R' where RSRTE = 'STUCK' and RSSTP = 1`);
    await depot.record(key, { id: 1, updates: delivered });
    await depot.record(key, { id: 2, updates: delivered });
    await other.start();
    await depot.untilHosted(key);
    await other.stop();
    expect(await depot.show('RTSTPP', "RSRTE = 'STUCK'")).toMatchObject([{ RSSTS: 'R' }, { RSSTS: 'D' }]);
    const { rows } = await pool.query(`select stop_id, reason from parked where route_id = 'STUCK'`);
    expect(rows).toMatchObject([{ stop_id: 1 }]);
    expect(JSON.stringify(rows)).toContain('another program has changed these rows');
  });
});

describe('exceptions (RTOSDP)', () => {
  test.each([
    ['CREDIT', 'Y'],
    ['SMALL', 'y'],
  ])('%s: a row credited by %s stays as it was; the change after the credit is a revision', async (id, mark) => {
    const own = depot.worker();
    await own.start();
    const key = await depot.addRoute(id, [1]);
    await depot.record(key, { id: 1, updates: delivered, products: line(exception(2)) });
    await depot.untilHosted(key);
    await depot.clerk(
      `update PODDTA.RTOSDP set OSPRCF = '${mark}', OSCRDN = 'CN1', OSPRDT = 20261121 where OSRTE = '${id}'`,
    );
    later(1);
    await depot.record(key, { id: 1, products: line(exception(5)) });
    await depot.untilHosted(key);
    expect(await depot.show('RTOSDP', `OSRTE = '${id}'`)).toMatchObject([
      { OSSEQ: '1', OSQTY: '2', OSREV: '0', OSPRCF: mark, OSDELF: 'N' },
      { OSSEQ: '2', OSQTY: '5', OSREV: '1', OSPRCF: '', OSDELF: 'N' },
    ]);
    later(1);
    await depot.record(key, { id: 1, products: line(exception(6)) });
    await depot.untilHosted(key);
    expect(await depot.show('RTOSDP', `OSRTE = '${id}'`)).toMatchObject([
      { OSSEQ: '1', OSQTY: '2', OSREV: '0' },
      { OSSEQ: '2', OSQTY: '6', OSREV: '1' },
    ]);
    // One item for a person, at the first change after the credit.
    const { rows } = await pool.query<{ details: string }>(
      `select details from incident where kind = 'credited_exception_changed' and details::jsonb #>> '{route,id}' = $1`,
      [id],
    );
    expect(rows.map(({ details }) => details)).toEqual([
      JSON.stringify({ route: key, stop: 1, version: 3, OSSEQ: '2' }),
    ]);
    await own.stop();
  });

  test('a removed entry is flagged, not deleted, and its number is never used again', async () => {
    const own = depot.worker();
    await own.start();
    const key = await depot.addRoute('FLAG', [1]);
    await depot.record(key, { id: 1, updates: delivered, products: line(exception(2)) });
    await depot.untilHosted(key);
    later(1);
    await depot.record(key, { id: 1, products: line([]) });
    await depot.untilHosted(key);
    later(1);
    await depot.record(key, {
      id: 1,
      products: line([{ osd_id: 'zz99zz', osd_code: 20, data: [{ quantity: 1, comment: '' }] }]),
    });
    await depot.untilHosted(key);
    expect(await depot.show('RTOSDP', "OSRTE = 'FLAG'")).toMatchObject([
      { OSSEQ: '1', OSOID: 'ab12cd', OSDELF: 'Y' },
      { OSSEQ: '2', OSOID: 'zz99zz', OSDELF: 'N' },
    ]);
    await own.stop();
  });
});
