import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { decodeStop } from '../../server/src/replication/shadow.ts';
import { importGround, routeFile, routeKey } from './import-ground.ts';

const aDate: unknown = expect.any(Date);
const aText: unknown = expect.any(String);
const parse: (text: string) => unknown = JSON.parse;

const ground = await importGround();
const { clerk, host, pool, dispatch, read } = ground;
const { imports, log } = ground.openImport();

const sql = (statement: string) => clerk.transaction((tx) => tx.execute(statement));
const doorbell = () => host.query('select CHFIL, CHKEY from PODCHGP');

/** A dispatched route in the mirror. */
const imported = async (id: string, options?: Parameters<typeof routeFile>[1]) => {
  await dispatch(routeFile(id, options));
  await imports.importNow();
  return read(id);
};

describe('a dispatched route', () => {
  test('comes with header, drivers, plans and pending results, and leaves nothing in the doorbell', async () => {
    const { route, plans, results, drivers } = await imported('R1');
    expect(route).toMatchObject({
      epoch: 1,
      version: 1,
      hosted_through: 1,
      name: 'North',
      status: 'O',
      withdrawn_at: null,
    });
    expect(route?.published_at).toBeInstanceOf(Date);
    expect(drivers).toEqual(['1001', '1002'].map((employee) => ({ employee, type: 'DRIVER', removed: false })));
    expect(plans.map(({ stop_id, version }) => [stop_id, version])).toEqual([
      [1, 1],
      [2, 1],
      [999, 1],
    ]);
    expect([...results.values()]).toEqual(Array.from({ length: 3 }, () => ({ version: 1, result: { status: 'P' } })));
    expect(await doorbell()).toEqual([]);
  });

  test('says of a stop what the host says, lines of one item apart', async () => {
    const { plans } = await imported('R2');
    const plan = plans[0]?.plan;
    expect(plan).toMatchObject({
      id: 1,
      type: 'delivery',
      sequence: 1,
      eta: '',
      customer: {
        id: 'CR20',
        name: 'Café 0',
        contact: { email: 'a@example.com', salesrep: { id: 'S1', name: 'Sam', phone: '1' } },
        location: { address: ['1 Main St', 'Dock'], coordinates: { latitude: '41.500000', longitude: '-87.250000' } },
      },
      invoices: [{ id: 'R2I0', date: '2026-11-20' }],
      collections: [
        {
          id: 'TOTE',
          name: 'Totes',
          quantity: 3,
          required: true,
          count_in_totes: false,
          add_photos: true,
          section: 'RETURNS',
        },
      ],
    });
    expect(plan?.products.map(({ id, quantity, action_type }) => [id, quantity, action_type])).toEqual([
      ['EGGS', 1, 'scan'],
      ['MILK', 5, ''],
      ['MILK', 2, ''],
    ]);
    expect(plans[2]?.plan).toMatchObject({ id: 999, type: 'warehouse', customer: { id: '', name: '' } });
  });

  test('that changes nothing makes no new version', async () => {
    await imported('R3');
    expect((await imported('R3')).route?.version).toBe(1);
  });

  test('gets one new version for all that changed, on those documents only', async () => {
    await imported('R4');
    await dispatch({ ...routeFile('R4', { quantity: 9 }), name: 'Renamed' });
    await sql("update RTSTPP set RSETA = 83000 where RSRTE = 'R4' and RSSTP = 999");
    await imports.importNow();
    const { route, plans, results } = await read('R4');
    expect(route).toMatchObject({
      version: 2,
      header_version: 2,
      plan_version: 2,
      name: 'Renamed',
      epoch: 1,
      hosted_through: 1,
    });
    expect(plans.map(({ version }) => version)).toEqual([2, 2, 2]);
    expect(plans[2]?.plan.eta).toBe('083000');
    expect(results.get(1)?.version).toBe(1);
  });

  test('loses and regains stops and drivers without losing what they stood for', async () => {
    await imported('R5', { stops: 3, drivers: ['1001', '1002'] });
    const shrunk = await imported('R5', { stops: 2, drivers: ['1002', '1003'] });
    expect(shrunk.plans.find(({ stop_id }) => stop_id === 3)).toMatchObject({
      version: 2,
      removed_at: aDate,
    });
    expect(shrunk.results.get(3)?.version).toBe(1);
    expect(shrunk.drivers.map(({ employee, removed }) => [employee, removed])).toEqual([
      ['1001', true],
      ['1002', false],
      ['1003', false],
    ]);
    const grown = await imported('R5', { stops: 3, drivers: ['1001'] });
    expect(grown.plans.find(({ stop_id }) => stop_id === 3)).toMatchObject({ version: 3, removed_at: null });
    expect(grown.drivers.map(({ employee, removed }) => [employee, removed])).toEqual([
      ['1001', false],
      ['1002', true],
      ['1003', true],
    ]);
  });

  test('is planned in secret until its dispatch date stands', async () => {
    await dispatch(routeFile('R6'));
    await sql("update RTHDRP set RHDSDT = 0 where RHRTE = 'R6'");
    await imports.importNow();
    expect((await read('R6')).route?.published_at).toBeNull();
    await sql("update RTHDRP set RHDSDT = 20261120 where RHRTE = 'R6'");
    await imports.importNow();
    expect((await read('R6')).route).toMatchObject({ version: 2, header_version: 2, published_at: aDate });
  });
});

describe('the life of a route', () => {
  test('a route that the host deletes is marked, and never deleted', async () => {
    await imported('R10');
    await sql("delete from RTHDRP where RHRTE = 'R10'");
    await imports.importNow();
    expect((await read('R10')).route).toMatchObject({ version: 2, epoch: 1, withdrawn_at: aDate });
  });

  test('the same key loaded again starts a new epoch; the result of the same customer stays, another starts empty', async () => {
    await imported('R11');
    await deliver('R11', 1);
    await deliver('R11', 2);
    await sql("delete from RTHDRP where RHRTE = 'R11'");
    await dispatch(routeFile('R11'));
    await sql("update RTSTPP set RSCUS = 'CR10' where RSRTE = 'R11' and RSSTP = 2");
    await imports.importNow();
    const { route, results } = await read('R11');
    expect(route).toMatchObject({ epoch: 2, version: 4, status: 'O', withdrawn_at: null });
    expect(results.get(1)).toMatchObject({ version: 4, result: { status: 'D' } });
    expect(results.get(2)).toEqual({ version: 4, result: { status: 'P' } });
  });

  test('a route with results on the host is taken over with them, and nothing is written back', async () => {
    await dispatch(routeFile('R12'));
    await sql("update RTSTPP set RSSTS = 'D', RSARVF = 'Y' where RSRTE = 'R12' and RSSTP = 1");
    await sql(
      "update RTHDRP set RHPODS = 'C', RHCLDT = 20261120, RHCLTM = 173000, RHCLBY = 'A', RHRETM = 'Y' where RHRTE = 'R12'",
    );
    await imports.importNow();
    const { route, results } = await read('R12');
    expect(route).toMatchObject({ status: 'C', arrived: true, closed_by: 'A', version: 1, hosted_through: 1 });
    // 17:30 at the depot in Chicago, in November.
    expect(route?.closed_at?.toISOString()).toBe('2026-11-20T23:30:00.000Z');
    expect(results.get(1)?.result).toMatchObject({ status: 'D', arrived: true });
    expect(results.get(2)?.result).toEqual({ status: 'P' });
  });
});

describe('what changes beside the route', () => {
  test('a customer, a sales rep and an item setting reach every open route that shows them', async () => {
    await imported('R20');
    await sql("update CUSMSP set CMNAM = 'Bistro' where CMCUS = 'CR200'");
    await imports.importNow();
    expect((await read('R20')).plans[0]).toMatchObject({ version: 2, plan: { customer: { name: 'Bistro' } } });
    await sql("update ITCOLP set ICTOTF = 'Y' where ICITM = 'TOTE'");
    await sql("update SLSREPP set SRPHN = '555' where SRID = 'S1'");
    await imports.importNow();
    const { plans } = await read('R20');
    expect(plans[0]).toMatchObject({
      version: 3,
      plan: { collections: [{ count_in_totes: true }], customer: { contact: { salesrep: { phone: '555' } } } },
    });
    expect(plans[2]?.version).toBe(1);
  });

  test('an employee who is renamed changes the header; one who leaves can sign in no more', async () => {
    await imported('R21', { drivers: ['1003'] });
    await sql("update EMPMSTP set EMNAM = 'Jane Doe' where EMEMP = '1003'");
    await sql("delete from EMPMSTP where EMEMP = '1002'");
    await imports.importNow();
    expect((await read('R21')).route).toMatchObject({ version: 2, header_version: 2, plan_version: 1 });
    const { rows } = await pool.query('select id, name, active from employee where id > $1 order by id', ['1001']);
    expect(rows).toEqual([
      { id: '1002', name: 'Driver 1002', active: false },
      { id: '1003', name: 'Jane Doe', active: true },
    ]);
  });

  test('code lists are one scope: changes of one look raise it once, no change not at all', async () => {
    const version = async () =>
      (await pool.query<{ version: number }>(`select version from scope_version where scope = 'codes:all'`)).rows[0]
        ?.version ?? 0;
    const before = await version();
    await sql(
      "insert into CTLCDP (CCTYP, CCCOD, CCDSC, CCCAT, CCSEQ, CCSTS) values ('STPEXC', '01', 'Closed', 'S', 10, 'A'), ('XXX', '1', 'no list of ours', '', 1, 'A')",
    );
    await sql("insert into CTLCDP (CCTYP, CCCOD, CCDSC, CCSEQ, CCSTS) values ('CRDRSN', '10', 'Short', 10, 'A')");
    await imports.importNow();
    expect(await version()).toBe(before + 1);
    await sql("update CTLCDP set CCDSC = 'Short' where CCCOD = '10'");
    await imports.importNow();
    expect(await version()).toBe(before + 1);
    await sql("delete from CTLCDP where CCTYP = 'STPEXC'");
    await imports.importNow();
    expect(await version()).toBe(before + 2);
    const { rows } = await pool.query('select type, code, description from code');
    expect(rows).toEqual([{ type: 'credit-reason', code: '10', description: 'Short' }]);
  });
});

describe('what others write into the columns of the service', () => {
  test('a clerk who corrects a status amends the stop as the office, and the shadow says what the host holds', async () => {
    await imported('R30');
    await sql("update RTSTPP set RSSTS = 'S' where RSRTE = 'R30' and RSSTP = 1");
    await imports.importNow();
    const { route, results } = await read('R30');
    expect(route?.version).toBe(2);
    expect(results.get(1)?.result.status).toBe('S');
    const { rows: ledger } = await pool.query(
      `select source, employee, result, stop_id from ledger where route_id = 'R30'`,
    );
    expect(ledger).toEqual([{ source: 'office', employee: aText, result: 'applied', stop_id: 1 }]);
    const { rows: shadows } = await pool.query<{ rows: string }>(
      `select rows from host_shadow where route_id = 'R30' and stop_id = 1`,
    );
    expect(decodeStop(shadows[0]?.rows ?? '', routeKey('R30'), 1).rows.RTSTPP[0]?.RSSTS).toBe('S');
    // The same look again finds our own shadow.
    await sql("update RTSTPP set RSSTS = 'S' where RSRTE = 'R30' and RSSTP = 1");
    await imports.importNow();
    expect((await read('R30')).route?.version).toBe(2);
  });

  test('a clerk who goes back and forth is followed each time', async () => {
    await imported('R31');
    for (const status of ['D', 'S', 'D', 'S']) {
      await sql(`update RTSTPP set RSSTS = '${status}' where RSRTE = 'R31' and RSSTP = 2`);
      await imports.importNow();
      expect((await read('R31')).results.get(2)?.result.status).toBe(status);
    }
  });

  test('counts, comment and times of a hand-made result arrive as the driver would have sent them', async () => {
    await imported('R32');
    await sql(`insert into RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RUSTS, RUCMT, RUEDT, RUETM)
      values ('F01', 'R32', 20261121, 1, 'D', 'By phone', 20261120, 143000)`);
    await sql(`insert into RTPRUP (RQFAC, RQRTE, RQWKE, RQSTP, RQINV, RQITM, RQLIN, RQTYP, RQDLV)
      values ('F01', 'R32', 20261121, 1, 'R32I0', 'EGGS', 1, 'P', 1)`);
    await imports.importNow();
    const result = (await read('R32')).results.get(1)?.result;
    expect(result).toMatchObject({
      status: 'D',
      updates: { driver_comments: 'By phone', end_delivery_time: '2026-11-20T20:30:00.000Z' },
    });
    expect(Object.values(result?.products ?? {})).toMatchObject([{ id: 'EGGS', invoice: 'R32I0', delivered: 1 }]);
  });

  test('a change that has no place in the mirror is told to a person', async () => {
    await imported('R33');
    await sql(
      `insert into RTOSDP (OSFAC, OSRTE, OSWKE, OSSTP, OSTYP, OSSEQ, OSQTY) values ('F01', 'R33', 20261121, 1, 'P', 1, 4)`,
    );
    await imports.importNow();
    const { rows } = await pool.query<{ details: string }>(
      `select details from incident where kind = 'host_edit_untold'`,
    );
    expect(rows.map(({ details }) => parse(details))).toMatchObject([
      { stop: 1, route: { id: 'R33' }, columns: ['RTOSDP'] },
    ]);
  });

  test('a clerk who takes a delivery back is followed; what was recorded before does not end it, what comes after does', async () => {
    await imported('R37');
    await deliver('R37', 1);
    await sql("update RTSTPP set RSSTS = 'D', RSARVF = 'N' where RSRTE = 'R37' and RSSTP = 1");
    await imports.importNow();
    const atTen = new Date();
    await sql("update RTSTPP set RSSTS = 'P' where RSRTE = 'R37' and RSSTP = 1");
    await imports.importNow();
    const { result } = (await read('R37')).results.get(1) ?? {};
    expect(result?.status).toBe('P');
    expect(result?.by?.map(({ client }) => client)).toContain('office');
    await deliver('R37', 1, { at: new Date(atTen.getTime() - 1_000), status: 'S' });
    expect((await read('R37')).results.get(1)?.result.status).toBe('P');
    await deliver('R37', 1, { at: new Date(Date.now() + 1_000), status: 'R' });
    expect((await read('R37')).results.get(1)?.result.status).toBe('R');
    expect((await pool.query(`select from incident where details like '%R37%'`)).rowCount).toBe(0);
  });

  test('a stop row that is laid anew is no word on its delivery: the driver’s result goes to the new row', async () => {
    await imported('R38');
    await deliver('R38', 1);
    await sql("update RTSTPP set RSSTS = 'D', RSARVF = 'N' where RSRTE = 'R38' and RSSTP = 1");
    await imports.importNow();
    await pool.query(`update route set hosted_through = version where id = 'R38'`);
    const again =
      "insert into RTSTPP (RSFAC, RSRTE, RSWKE, RSSTP, RSTYP, RSCUS, RSSEQ, RSARVF) values ('F01', 'R38', 20261121, 1, 'D', 'CR380', 1,";
    await sql("delete from RTSTPP where RSRTE = 'R38' and RSSTP = 1");
    await sql(`${again} 'N')`);
    await imports.importNow();
    expect((await read('R38')).results.get(1)?.result.status).toBe('D');
    const { rows } = await pool.query(`select behind from route where id = 'R38'`);
    expect(rows).toEqual([{ behind: true }]);
    // Nor where no trigger told of it, and the row itself is all there is to see.
    await sql("update RTSTPP set RSSTS = 'D', RSARVF = 'N' where RSRTE = 'R38' and RSSTP = 1");
    await imports.importNow();
    await sql("delete from RTSTPP where RSRTE = 'R38' and RSSTP = 1");
    await sql(`${again} ' ')`);
    await sql('delete from PODCHGP');
    await imports.takeEdits([{ key: routeKey('R38'), stop: 1 }]);
    expect((await read('R38')).results.get(1)?.result.status).toBe('D');
  });

  test('exceptions, photos and addresses that a clerk writes are the office’s edit', async () => {
    await imported('R39');
    const stop = "'F01', 'R39', 20261121, 1";
    await sql(`insert into RTOSDP (OSFAC, OSRTE, OSWKE, OSSTP, OSTYP, OSSEQ, OSITM, OSINV, OSCOD, OSQTY, OSCMT)
      values (${stop}, 'P', 1, 'EGGS', 'R39I0', '10', 4, 'by phone')`);
    await sql(`insert into RTIMGP (RIFAC, RIRTE, RIWKE, RISTP, RIQTYP, RIINV, RIITM, RILIN, RISEQ, RIASS)
      values (${stop}, 'C', 'R39I0', 'TOTE', 1, 1, 'PHOTO00000000001')`);
    await sql(
      `insert into RTEMLP (REFAC, RERTE, REWKE, RESTP, REMSEQ, REMADR) values (${stop}, 1, 'dock@example.com')`,
    );
    await imports.importNow();
    const { route, results } = await read('R39');
    expect(results.get(1)?.result).toMatchObject({
      updates: { osd_emails: ['dock@example.com'] },
      products: { 'EGGS\tR39I0\t0': { osd_data: [{ osd_code: '10', data: [{ quantity: 4, comment: 'by phone' }] }] } },
      collections: { 'TOTE\tR39I0\t0': { image_ids: ['PHOTO00000000001'] } },
    });
    // Phones and the office see one edit, by whom and when.
    expect(route).toMatchObject({ version: 2 });
    const { rows } = await pool.query(`select source, result from ledger where route_id = 'R39'`);
    expect(rows).toEqual([{ source: 'office', result: 'applied' }]);
  });

  test('the office closes a route by hand, and opens it again', async () => {
    await imported('R34');
    await sql("update RTHDRP set RHPODS = 'C' where RHRTE = 'R34'");
    await imports.importNow();
    expect((await read('R34')).route).toMatchObject({
      status: 'C',
      closed_by: 'F',
      closed_at: aDate,
      version: 2,
    });
    await sql("update RTHDRP set RHPODS = ' ' where RHRTE = 'R34'");
    await imports.importNow();
    expect((await read('R34')).route).toMatchObject({ status: 'O', closed_by: null, closed_at: null, version: 3 });
  });

  test('rows of a route that a worker has in hand wait in the doorbell until it is done', async () => {
    await imported('R35');
    const { leases } = ground.openImport();
    const lease = await leases.take(routeKey('R35'));
    if (!lease) throw new Error('the lease of a quiet route is free');
    await sql("update RTSTPP set RSSTS = 'R' where RSRTE = 'R35' and RSSTP = 1");
    await imports.importNow();
    expect((await read('R35')).results.get(1)?.result.status).toBe('P');
    expect(await doorbell()).toHaveLength(1);
    await leases.release(lease);
    await imports.importNow();
    expect((await read('R35')).results.get(1)?.result.status).toBe('R');
    expect(await doorbell()).toEqual([]);
  });
});

test('the worker, which has the lease, has edits taken in at its own call, dated when they were made', async () => {
  await imported('R36');
  const { leases } = ground.openImport();
  const lease = await leases.take(routeKey('R36'));
  if (!lease) throw new Error('the lease of a quiet route is free');
  await sql("update RTSTPP set RSSTS = 'D' where RSRTE = 'R36' and RSSTP = 1");
  await sql("update PODCHGP set CHTS = CHTS - interval '90 seconds', CHUSR = 'ANN'");
  const before = Date.now();
  await imports.takeEdits([{ key: routeKey('R36'), stop: 1 }]);
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
  expect(await doorbell()).toEqual([]);
});

test('a key that no route can have is passed over, and the others are imported', async () => {
  await sql("insert into RTHDRP (RHFAC, RHRTE, RHWKE, RHDSDT) values ('F01', 'BAD', 20269999, 20261120)");
  await imported('R40');
  expect((await read('BAD')).route).toBeUndefined();
  expect((await read('R40')).route?.version).toBe(1);
  expect(await doorbell()).toEqual([]);
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

/** What a driver's phone would do. */
async function deliver(id: string, stop: number, { at = new Date(), status = 'D' } = {}): Promise<void> {
  const key = routeKey(id);
  await ground.pipeline.submit({
    id: randomUUID(),
    name: 'stop.update',
    version: 1,
    args: { route: key, stop: { id: stop, updates: { status } } },
    route: key,
    stop,
    actor: { kind: 'driver', employee: '1001' },
    source: 'rest',
    paths: 'current',
    editTime: at,
    receivedAt: new Date(),
    dedupeByContent: false,
  });
}
