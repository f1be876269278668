import { operations } from '@tailgate/sync-protocol';
import { beforeAll, expect, test } from 'vitest';
import { signUp } from '../support/people.ts';
import { restChange } from '../support/rest-change.ts';
import { startRestServer } from '../support/rest-server.ts';
import { TestBytes } from '../support/test-bytes.ts';
import { storeFiles } from '../support/uploads.ts';
import { loadReport } from './row-fixture.ts';
import { openShadowWorld } from './shadow-fixture.ts';
import { keepRowLog, type LoggedRow } from './statement-log.ts';

// Users, sign-ins, load reports and files are rows of no stop. Where another facility is live, the connection may write: only
// the mode of their own facility keeps them off the host. 1001 is of F01, in shadow, and 2002 of F02, live.

let world: Awaited<ReturnType<typeof openShadowWorld>>;
let written: () => Promise<LoggedRow[]>;
const file = { shadow: '', live: '', none: '' };

/** Waits for these rows of the host, and for no others of the same condition. */
const expectRows = async (name: string, where: string, rows: readonly object[]): Promise<void> =>
  await expect.poll(() => world.depot.show(name, where), { timeout: 60_000 }).toMatchObject(rows);

beforeAll(async () => {
  world = await openShadowWorld();
  const { depot } = world;
  written = await keepRowLog(depot.database);
  await depot.clerk(`update PODDTA.EMPMSTP set EMFAC = 'F01'`);
  await depot.clerk(`insert into PODDTA.EMPMSTP (EMEMP, EMNAM, EMSTS, EMFAC) values ('2002', 'Pia Pilot', 'A', 'F02')`);
});

test('beside a live facility, no user, sign-in, load report or file of a facility in shadow is written', async () => {
  const { depot } = world;
  await world.enter('off,F01=shadow,F02=live');
  const [shadow, pilot] = [await world.dispatch('F01', 'R1', [1]), await world.dispatch('F02', 'P1', [1], '2002')];
  await world.imported(shadow);
  await world.imported(pilot);

  const { client } = await startRestServer({ database: depot.database });
  const report = (reportId: string, driverId: string) =>
    client.take(operations.submitLoadReport, { body: { ...loadReport, reportId, driverId } });
  const bytes = new TestBytes('facility rows');
  const upload = async (name: string): Promise<string> => {
    const [id = ''] = await storeFiles(client, { files: [{ name, bytes: bytes.take(20_000) }] });
    return id;
  };
  // The shadow first: its rows are behind when the host takes those of the live facility.
  Object.assign(file, { shadow: await upload('shadow.jpg'), none: await upload('none.jpg') });
  file.live = await upload('live.jpg');
  for (const driver of ['1001', '2002']) await signUp(client, driver);
  await report('RPT-NONE', 'STRANGER');
  await report('RPT-F01', '1001');
  await report('RPT-F02', '2002');
  const withPhoto = (id: string) => ({
    id: 1,
    updates: { status: 'D', driver_comments: 'with a photo' } as const,
    products: [{ id: 'ITEM1', invoice: 'INV1', updates: { delivered: 5, image_ids: [id] } }],
  });
  await depot.record(shadow, withPhoto(file.shadow));
  const times = { editTime: depot.clock.now, receivedAt: depot.clock.now };
  await depot.pipeline.submit(restChange(pilot, withPhoto(file.live), '2002', times));

  await expectRows('PODUSRP', "PUEMP = '2002'", [{ PUREGF: 'Y' }]);
  await expectRows('RTDRVP', "RDFAC = 'F02'", [{ RDEMP: '2002', RDSGNF: 'Y', RDUUSR: 'TAILGATE' }]);
  await expectRows('LCRHDP', "LHRPT = 'RPT-F02'", [{ LHDRV: '2002' }]);
  await expectRows('ASSHDP', `AHID = '${file.live}'`, [{ AHSTS: 'R', AHSIZ: '20000' }]);
  expect(await depot.show('ASSCHP', `ACID = '${file.live}'`)).toHaveLength(2);
  // What a shadow has ended is finished; the report of no facility waits, as the default is `off`.
  const finished = `select (select bool_and(hosted_version = version) from driver_sign_in where facility = 'F01') as sign_in,
    (select string_agg(report_id, ' ') from load_report where shadowed) as reports,
    (select string_agg(id, ' ') from asset where host_mode = 'shadow' and hosted_version = version) as files`;
  await expect
    .poll(() => world.rows(finished), { timeout: 60_000 })
    .toEqual([{ sign_in: true, reports: 'RPT-F01', files: file.shadow }]);
  await world.stop();

  const rows = await written();
  expect(rows.map(({ file: name }) => name)).toEqual(
    expect.arrayContaining(['podusrp', 'rtdrvp', 'lcrhdp', 'lcrscp', 'asshdp', 'asschp']),
  );
  const others = new Set(['F01', '1001', 'RPT-F01', 'STRANGER', 'RPT-NONE', file.shadow, file.none]);
  const isOfNoStop = ({ file: name }: LoggedRow) => /^(?:podusrp|rtdrvp|lcr|ass)/.test(name);
  const names = ({ row }: LoggedRow) => Object.values(row).some((value) => others.has(String(value).trim()));
  expect(rows.filter((row) => isOfNoStop(row) && names(row))).toEqual([]);
  expect(rows.filter(({ row }) => Object.values(row).some((value) => String(value).trim() === 'F01'))).toEqual([]);
}, 180_000);

test('once all facilities are live, users and rows that waited are written, and what ended in shadow is not', async () => {
  const { depot } = world;
  await world.enter('live');
  await expectRows('PODUSRP', "PUEMP = '1001'", [{ PUREGF: 'Y' }]);
  await expectRows('LCRHDP', "LHRPT = 'RPT-NONE'", [{ LHDRV: 'STRANGER' }]);
  await expectRows('ASSHDP', `AHID = '${file.none}'`, [{ AHSTS: 'R' }]);
  await world.stop();
  expect(await depot.show('RTDRVP', "RDFAC = 'F01' and RDUUSR = 'TAILGATE'")).toEqual([]);
  expect(await depot.show('LCRHDP', "LHRPT = 'RPT-F01'")).toEqual([]);
  expect(await depot.show('ASSHDP', `AHID = '${file.shadow}'`)).toEqual([]);
}, 120_000);
