import { expect, test } from 'vitest';
import { readRouteRows } from '../../server/src/host/reads/reads.ts';
import { reportFaults } from '../../server/src/replication/from-host/host-faults.ts';
import { usableRows } from '../../server/src/replication/from-host/usable-rows.ts';
import { routeFile, routeKey, WEEK } from './import-fixture.ts';
import { openStage } from './import-stage.ts';

// The host takes any value that fits into a column, and so do programs of three decades.

const { pool, host, imports, sql, dispatch, imported, read } = await openStage('doorbell');

interface Details {
  readonly file?: string;
  readonly column?: string;
  readonly columns?: readonly string[];
  readonly value?: string;
}
const readDetails: (text: string) => Details = JSON.parse;
const incidents = async (name: string) => {
  const { rows } = await pool.query<{ kind: string; details: string }>(
    'select kind, details from incident order by at',
  );
  const ours = rows.filter(({ details }) => details.includes(name));
  return ours.map(({ kind, details }) => ({ kind, ...readDetails(details) }));
};
const faults = async (name: string) =>
  (await incidents(name)).map(({ column, value }) => `${column} ${value}`).toSorted();

test('a value that is not a valid date, place or count is blank on the phone, and one incident names its row', async () => {
  await dispatch(routeFile('G1'));
  await sql("update INVHDP set IHDAT = 20261399 where IHINV = 'G1I0'");
  await sql("update RTSTPP set RSETA = 996100, RSSEQ = -1 where RSRTE = 'G1' and RSSTP = 1");
  await sql("update RTPRDP set RPQTY = -5 where RPRTE = 'G1' and RPSTP = 1 and RPITM = 'EGGS'");
  await sql("update RTCOLP set RCQTY = -2 where RCRTE = 'G1' and RCSTP = 1");
  await sql("update CUSMSP set CMLAT = 999 where CMCUS = 'CG10'");
  await imports.importNow();
  const plan = (await read('G1')).plans[0]?.plan;
  expect(plan).toMatchObject({
    eta: '',
    sequence: 0,
    customer: { location: { coordinates: { latitude: '', longitude: '' } } },
    invoices: [{ id: 'G1I0', date: '' }],
    collections: [{ id: 'TOTE', quantity: 0 }],
  });
  expect(plan?.products.map(({ id, quantity }) => [id, quantity])).toEqual([
    ['EGGS', 0],
    ['MILK', 5],
    ['MILK', 2],
  ]);
  const found = ['CMLAT 999.000000', 'IHDAT 20261399', 'RCQTY -2', 'RPQTY -5', 'RSETA 996100', 'RSSEQ -1'];
  expect(await faults('G1')).toEqual(found);
  expect(await incidents('EGGS')).toEqual([
    {
      kind: 'host_value_impossible',
      route: routeKey('G1'),
      file: 'RTPRDP',
      key: { RPFAC: 'F01', RPRTE: 'G1', RPWKE: WEEK, RPSTP: '1', RPINV: 'G1I0', RPITM: 'EGGS', RPLIN: '1' },
      column: 'RPQTY',
      value: '-5',
    },
  ]);
  // Read again it is the same fault; another value is another one.
  await sql("update RTSTPP set RSSEQ = -3 where RSRTE = 'G1' and RSSTP = 1");
  await imports.importNow();
  await imports.findDrift('everything');
  expect(await faults('G1')).toEqual([...found, 'RSSEQ -3'].toSorted());
});

test('marks in small letters count, others are blank and reported', async () => {
  await dispatch(routeFile('G2'));
  await sql("update RTHDRP set RHEMLF = 'y' where RHRTE = 'G2'");
  await sql("update ITCOLP set ICREQF = 'y', ICPHOF = '1' where ICITM = 'TOTE'");
  await sql("update CUSMSP set CMVRTF = 'y' where CMCUS = 'CG20'");
  await sql("update RTSTPP set RSTYP = 'b' where RSRTE = 'G2' and RSSTP = 1");
  await sql("update RTSTPP set RSTYP = 'X' where RSRTE = 'G2' and RSSTP = 2");
  await sql("update EMPMSTP set EMSTS = 'a' where EMEMP = '1002'");
  await sql(
    "insert into CTLCDP (CCTYP, CCCOD, CCDRVF, CCPHOF, CCCAT, CCSTS) values ('STPEXC', 'G2', 'y', '?', 's', 'a')",
  );
  await imports.importNow();
  const { plans } = await read('G2');
  const { rows: routes } = await pool.query("select email_flag from route where id = 'G2'");
  expect(routes).toEqual([{ email_flag: true }]);
  expect(plans[0]?.plan).toMatchObject({
    type: 'backhaul',
    customer: { verify_returns: true },
    collections: [{ required: true, add_photos: false }],
  });
  expect(plans[1]?.plan.type).toBe('delivery');
  const { rows: employees } = await pool.query("select active from employee where id = '1002'");
  expect(employees).toEqual([{ active: true }]);
  const { rows: codes } = await pool.query(
    "select driver_visible, requires_photo, stop_type, active from code where code = 'G2'",
  );
  expect(codes).toEqual([{ driver_visible: true, requires_photo: false, stop_type: 'S', active: true }]);
  expect([...(await faults('G2')), ...(await faults('ICITM'))]).toEqual(['CCPHOF ?', 'RSTYP X', 'ICPHOF 1']);
});

test('a route is dispatched on any day in its header; a stop without a valid number is left out', async () => {
  await dispatch(routeFile('G3'));
  await sql("update RTHDRP set RHDSDT = 20261399 where RHRTE = 'G3'");
  await sql("update RTSTPP set RSSTP = -2 where RSRTE = 'G3' and RSSTP = 2");
  await imports.importNow();
  const { route, plans } = await read('G3');
  expect(route?.published_at).toBeInstanceOf(Date);
  expect(plans.map(({ stop_id }) => stop_id)).toEqual([1, 999]);
  expect(await faults('G3')).toEqual(['RHDSDT 20261399', 'RSSTP -2']);
});

test('text with control characters is legible on the phone, in names and in keys', async () => {
  await imported('G4');
  const rows = await readRouteRows(host, routeKey('G4'));
  const [line, ...lines] = rows.products;
  if (!line || !rows.header) throw new Error('the route has a header and lines');
  const products = [{ ...line, RPNAM: 'Eg\u0000gs\u0007', RPITM: 'EG\u0000GS' }, ...lines];
  const sound = usableRows({ ...rows, products, header: { ...rows.header, RHNAM: '\u0000North' } });
  expect(sound.rows.products[0]).toMatchObject({ RPNAM: 'Eg gs', RPITM: 'EG GS' });
  expect(sound.rows.header?.RHNAM).toBe(' North');
  expect(sound.faults.map(({ column }) => column)).toEqual(['RHNAM', 'RPITM', 'RPNAM']);
  expect(usableRows(rows)).toEqual({ rows, faults: [] });
  await reportFaults(pool, sound.faults, routeKey('G4'));
  const { rows: listed } = await pool.query(
    `select details::jsonb ->> 'value' as value from incident where details::jsonb #>> '{route,id}' = 'G4'`,
  );
  const values = ['EG\u2400GS', 'Eg\u2400gs\u0007', '\u2400North'];
  expect(listed).toEqual(expect.arrayContaining(values.map((value) => ({ value }))));
});

test('impossible values in the results of a new route are reported; its close is dated by its week', async () => {
  await dispatch({ ...routeFile('G5'), week_end: '20261003' });
  await sql("update RTSTPP set RSSTS = 'd' where RSRTE = 'G5' and RSSTP = 1");
  await sql("update RTSTPP set RSARVF = 'y' where RSRTE = 'G5' and RSSTP = 2");
  await sql("update RTHDRP set RHPODS = 'C', RHCLDT = 20261399, RHCLBY = 'D' where RHRTE = 'G5'");
  await imports.importNow();
  const { route, results } = await read('G5');
  expect(route).toMatchObject({ status: 'C', closed_by: 'D' });
  expect(route?.closed_at?.toISOString()).toBe('2026-10-04T04:59:59.000Z');
  expect(results.get(1)?.result).toEqual({ status: 'P' });
  const reported = (await incidents('G5')).map(({ kind, columns }) => `${kind} ${columns?.join()}`);
  expect(reported.toSorted()).toEqual([
    'host_edit_untold RTHDRP.RHCLDT',
    'host_edit_untold RTSTPP.RSARVF',
    'host_edit_untold RTSTPP.RSSTS',
  ]);
});
