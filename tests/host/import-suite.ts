import { describe, expect, test } from 'vitest';
import { routeFile } from './import-fixture.ts';
import type { Stage } from './import-stage.ts';

const aDate: unknown = expect.any(Date);

/** The import, by doorbell and by polling. */
export function importSuite({ pool, imports, log, sql, dispatch, read, imported, deliver, waiting }: Stage) {
  describe('a dispatched route', () => {
    test('comes with header, drivers, plans and pending results, and leaves nothing waiting', async () => {
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
      expect(await waiting()).toEqual([]);
    });

    test('has the host’s values of a stop, lines of one item apart', async () => {
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

    test('without changes keeps its version', async () => {
      await imported('R3');
      expect((await imported('R3')).route?.version).toBe(1);
    });

    test('gets one new version for all changes, on the changed documents only', async () => {
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

    test('loses and regains stops and drivers with their records', async () => {
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

    test('is hidden until it has a dispatch date', async () => {
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

    test('the same key loaded again starts a new epoch; the result of the same customer is kept, another starts empty', async () => {
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

    test('a route with results on the host is imported with them, and nothing is written back', async () => {
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

    test('an invoice that moves to another route, or is deleted, leaves the route where it was', async () => {
      await imported('R22');
      await imported('R23');
      const invoices = async (id: string) =>
        (await read(id)).plans.slice(0, 2).map(({ plan }) => plan.invoices.map((invoice) => invoice.id));
      await sql("update INVHDP set IHRTE = 'R23' where IHINV = 'R22I0'");
      await imports.importNow();
      expect(await invoices('R22')).toEqual([[], ['R22I1']]);
      expect(await invoices('R23')).toEqual([['R22I0', 'R23I0'], ['R23I1']]);
      await sql("delete from INVHDP where IHINV = 'R22I1'");
      await imports.importNow();
      expect(await invoices('R22')).toEqual([[], []]);
      const { rows } = await pool.query("select from incident where kind = 'host_drift'");
      expect(rows).toEqual([]);
    });

    test('an employee who is renamed changes the header; one who leaves can no longer sign in', async () => {
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

    test('code lists are one scope: the changes of one poll raise it once, none not at all', async () => {
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

  test('a key that no route can have is skipped, and the others are imported', async () => {
    await sql("insert into RTHDRP (RHFAC, RHRTE, RHWKE, RHDSDT) values ('F01', 'BAD', 20269999, 20261120)");
    await imported('R40');
    expect((await read('BAD')).route).toBeUndefined();
    expect((await read('R40')).route?.version).toBe(1);
    expect(await waiting()).toEqual([]);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
}
