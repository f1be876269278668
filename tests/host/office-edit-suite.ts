import { describe, expect, test } from 'vitest';
import { decodeStop } from '../../server/src/replication/to-host/shadow.ts';
import { routeKey } from './import-fixture.ts';
import type { Stage } from './import-stage.ts';

const aDate: unknown = expect.any(Date);
const aText: unknown = expect.any(String);
const parse: (text: string) => unknown = JSON.parse;

/** Office edits of service-owned columns, by doorbell and by polling. */
export function officeEditSuite({ pool, imports, sql, read, imported, deliver, waiting, openImport }: Stage) {
  describe('foreign changes of service-owned columns', () => {
    test('a clerk’s correction of a status amends the stop as the office, and the shadow has the host’s values', async () => {
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
      // The next poll finds our own shadow.
      await sql("update RTSTPP set RSSTS = 'S' where RSRTE = 'R30' and RSSTP = 1");
      await imports.importNow();
      expect((await read('R30')).route?.version).toBe(2);
    });

    test('each of a clerk’s alternating edits is imported', async () => {
      await imported('R31');
      for (const status of ['D', 'S', 'D', 'S']) {
        await sql(`update RTSTPP set RSSTS = '${status}' where RSRTE = 'R31' and RSSTP = 2`);
        await imports.importNow();
        expect((await read('R31')).results.get(2)?.result.status).toBe(status);
      }
    });

    test('counts, comment and times of a hand-made result arrive as a driver would have sent them', async () => {
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

    test('a change that the mirror cannot express is reported to an operator', async () => {
      await imported('R33');
      await sql(
        `insert into RTOSDP (OSFAC, OSRTE, OSWKE, OSSTP, OSTYP, OSSEQ, OSQTY) values ('F01', 'R33', 20261121, 1, 'P', 1, 4)`,
      );
      await imports.importNow();
      const { rows } = await pool.query<{ details: string }>(
        `select details from incident where kind = 'host_edit_untold'`,
      );
      expect(rows.map(({ details }) => parse(details))).toMatchObject([
        { stop: 1, route: { id: 'R33' }, columns: ['RTOSDP.OSCOD of P 1'] },
      ]);
    });

    test('a clerk’s withdrawal of a delivery is imported; only a later record of the driver replaces it', async () => {
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

    test('an inserted stop row does not change the delivery: the driver’s result is written to the new row', async () => {
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
        products: {
          'EGGS\tR39I0\t0': { osd_data: [{ osd_code: '10', data: [{ quantity: 4, comment: 'by phone' }] }] },
        },
        collections: { 'TOTE\tR39I0\t0': { image_ids: ['PHOTO00000000001'] } },
      });
      // Phones and the office see one edit, with its author and its time.
      expect(route).toMatchObject({ version: 2 });
      const { rows } = await pool.query(`select source, result from ledger where route_id = 'R39'`);
      expect(rows).toEqual([{ source: 'office', result: 'applied' }]);
    });

    test('the office closes a route itself, and opens it again', async () => {
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
      // The ledger has its author, as of all changes.
      const { rows } = await pool.query<{ body: string }>(
        `select source, employee, stop_id, version, body from ledger where route_id = 'R34' order by version`,
      );
      const expected = { source: 'office', employee: aText, stop_id: 999 };
      expect(rows).toMatchObject([
        { ...expected, version: 2 },
        { ...expected, version: 3 },
      ]);
      const said = { route: routeKey('R34'), arrived: false };
      expect(rows.map(({ body }) => parse(body))).toEqual([
        { name: 'route.amend', version: 1, args: { ...said, status: 'C' } },
        { name: 'route.amend', version: 1, args: { ...said, status: 'O' } },
      ]);
    });

    test('an impossible edit of a header closes and opens nothing; it is reported by column', async () => {
      await imported('R46');
      const reported = async () =>
        (
          await pool.query<{ details: string }>(
            'select details from incident where details like \'%"R46"%\' order by at',
          )
        ).rows.map(({ details }) => parse(details));
      const expected = { user: aText, at: aText, rows: {} };
      const header = async (columns: string) => {
        await sql(`update RTHDRP set ${columns} where RHRTE = 'R46'`);
        await imports.importNow();
        return (await read('R46')).route;
      };
      expect(await header("RHPODS = 'X', RHRETM = '?'")).toMatchObject({ status: 'O', arrived: false, version: 1 });
      expect(await header("RHPODS = 'C', RHRETM = 'Y', RHCLDT = 20261399, RHCLBY = 'Z'")).toMatchObject({
        status: 'C',
        arrived: true,
        closed_by: 'F',
      });
      expect(await header("RHPODS = 'Q'")).toMatchObject({ status: 'C' });
      expect(await header("RHCLDT = 20261120, RHCLTM = 120000, RHCLBY = 'D'")).toMatchObject({ closed_by: 'F' });
      expect(await reported()).toMatchObject([
        { ...expected, columns: ['RTHDRP.RHPODS', 'RTHDRP.RHRETM'] },
        { ...expected, columns: ['RTHDRP.RHCLDT', 'RTHDRP.RHCLBY'] },
        { ...expected, columns: ['RTHDRP.RHPODS'] },
        { ...expected, columns: ['RTHDRP.RHCLDT', 'RTHDRP.RHCLTM', 'RTHDRP.RHCLBY'] },
      ]);
      // The next poll finds nothing new.
      await imports.importNow();
      expect(await reported()).toHaveLength(4);
    });

    test('an impossible edit of a stop is reported, once, and the rest of it is imported', async () => {
      await imported('R47');
      await sql(`insert into RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RUSTS, RUCMT, RULAT, RUEDT, RUETM)
        values ('F01', 'R47', 20261121, 1, 'X', 'By phone', 999, 20269913, 250000)`);
      await imports.importNow();
      await imports.importNow();
      expect((await read('R47')).results.get(1)?.result).toMatchObject({
        status: 'P',
        updates: { driver_comments: 'By phone' },
      });
      const { rows } = await pool.query<{ details: string }>(
        "select details from incident where kind = 'host_edit_untold' and details like '%\"R47\"%'",
      );
      const columns = ['RTSTUP.RUEDT', 'RTSTUP.RULAT', 'RTSTUP.RUSTS'];
      expect(rows.map(({ details }) => parse(details))).toMatchObject([{ stop: 1, columns }]);
    });

    test('rows of a route that a worker has leased wait for its end', async () => {
      await imported('R35');
      const { leases } = openImport();
      const lease = await leases.acquire(routeKey('R35'));
      if (!lease) throw new Error('the lease of a quiet route is free');
      await sql("update RTSTPP set RSSTS = 'R' where RSRTE = 'R35' and RSSTP = 1");
      await imports.importNow();
      expect((await read('R35')).results.get(1)?.result.status).toBe('P');
      expect(await waiting()).toHaveLength(1);
      await leases.release(lease);
      await imports.importNow();
      expect((await read('R35')).results.get(1)?.result.status).toBe('R');
      expect(await waiting()).toEqual([]);
    });
  });
}
