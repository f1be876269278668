import type { RouteKey } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseOpsCommand, runOpsCommand } from '../../server/src/ops/commands/cli.ts';
import { examine } from '../../server/src/host/doctor/examine.ts';
import { compareRoutes } from '../../server/src/ops/shadow/compare-routes.ts';
import { alwaysExcused } from '../../server/src/ops/shadow/excuses.ts';
import { readShadow } from '../../server/src/ops/shadow/shadow.ts';
import { operations } from '../../server/src/http/operations.ts';
import { openTestHost } from '../support/driven-host.ts';
import { opsToken, startRestServer } from '../support/rest-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openShadowWorld, WEEK } from './shadow-fixture.ts';

// The old system and the drivers record the same route, with differences in each of its files. 15:59:30 UTC is 9:59:30 in Chicago.

let world: Awaited<ReturnType<typeof openShadowWorld>>;
const stopOf = (stop: number) => ({ facility: 'F01', route: 'R7', week: WEEK, stop });
const ended = '2026-11-21T15:59:30.000Z';
/** An id of a file, as the service gives them. */
const fileOf = (name: string) => name.padEnd(16, '0');
const byDriver = (comment: string) =>
  ({ status: 'D', end_delivery_time: ended, driver_comments: comment, store_emp_name: 'Ana' }) as const;
const byOldSystem = (comment: string) => ({
  RUEDT: 20261121,
  RUETM: 95930,
  RUUTC: ended,
  RUDRV: '1001',
  RUSNAM: 'Ana',
  RUCMT: comment,
});
const line = (stop: number, delivered: number, osd: object = {}) => ({
  id: 'ITEM1',
  invoice: `INV${stop}`,
  updates: { delivered, ...osd },
});
const oldLine = (stop: number, delivered: number, more: object = {}) => ({
  RQINV: `INV${stop}`,
  RQITM: 'ITEM1',
  RQLIN: 1,
  RQTYP: 'P',
  RQDLV: delivered,
  ...more,
});
const oldPhoto = (stop: number, RISEQ: number, RIASS: string, more: object = {}) => ({
  ...{ RIQTYP: 'P', RIINV: `INV${stop}`, RIITM: 'ITEM1', RILIN: 1, RISEQ, RIASS },
  ...more,
});

const compare = async (...argv: string[]): Promise<string[][]> => {
  const options = { autocloseSeconds: 600, keyFile: '', legacyMap: world.legacyMap };
  const text = await runOpsCommand(parseOpsCommand(['shadow', ...argv]), world.pool, options);
  return text.split('\r\n').map((row) => row.split(','));
};

beforeAll(async () => {
  world = await openShadowWorld();
  const { depot, old } = world;
  await world.enter('shadow');
  const key = await world.dispatch('F01', 'R7', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  await world.imported(key);

  // 1: equal. The comments differ in case alone, which is a difference until a rule excuses it.
  await depot.record(key, { id: 1, updates: byDriver('At the dock'), products: [line(1, 5)] });
  await old.writeResult(stopOf(1), 'D', byOldSystem('AT THE DOCK'));
  await old.writeLine(stopOf(1), oldLine(1, 5));
  // 2: another name. 3: another quantity.
  await depot.record(key, { id: 2, updates: byDriver('') });
  await old.writeResult(stopOf(2), 'D', { ...byOldSystem(''), RUSNAM: 'Bea' });
  await depot.record(key, { id: 3, updates: byDriver(''), products: [line(3, 5)] });
  await old.writeResult(stopOf(3), 'D', byOldSystem(''));
  await old.writeLine(stopOf(3), oldLine(3, 4));
  // 4: the driver alone. 5: the old system alone.
  await depot.record(key, { id: 4, updates: byDriver('') });
  await old.writeResult(stopOf(5), 'D', byOldSystem(''));
  // 6: an exception that the old system lacks, and another one under another number.
  const exception = (osd_code: number, quantity: number) => ({ osd_code, data: [{ quantity }] });
  await depot.record(key, {
    id: 6,
    updates: byDriver(''),
    products: [line(6, 3, { osd_data: [exception(10, 1), exception(11, 1)] })],
  });
  await old.writeResult(stopOf(6), 'D', byOldSystem(''));
  await old.writeLine(stopOf(6), oldLine(6, 3));
  const place = { OSTYP: 'P', OSSEQ: 700, OSITM: 'ITEM1', OSINV: 'INV6', OSCOD: '11', OSQTY: 1 };
  await old.writeException(stopOf(6), place);
  // 8: equal in the form of the library. Where it has names of its own, it cuts this text and lacks a column (`test:names`).
  const reason = world.legacyMap.definition('RUSKCM');
  const wet = (words: number) => Array.from({ length: words }, () => 'wet').join(' ');
  const kept = Math.min(60, reason.kind === 'char' ? Math.floor((reason.length + 1) / 4) : 0);
  await depot.record(key, {
    id: 8,
    updates: {
      ...{ status: 'S', skip_refuse_reason_code: '7', skip_refuse_timestamp: ended },
      ...{ skip_refuse_driver_comment: wet(60), store_emp_id: 'E7' },
    },
  });
  await old.writeResult(stopOf(8), 'S', {
    ...{ RUSKRC: '7', RUSKDT: 20261121, RUSKTM: 95930, RUUTC: ended, RUDRV: '1001' },
    ...{ RUSKCM: wet(kept), RUCMTL: kept < 60 ? 'Y' : 'N' },
    ...(world.legacyMap.ownName('RUSEMP') === undefined ? {} : { RUSEMP: 'E7' }),
  });
  await recordFiles(key);
  await depot.untilHosted(key);
  const known = (stop: number, text: string) =>
    vi.waitUntil(async () => (await world.known(key, stop)).includes(text), { timeout: 60_000, interval: 100 });
  for (const stop of [1, 3, 5, 6]) await known(stop, 'Ana');
  await known(2, 'Bea');
  await known(6, '700');
  await known(3, 'INV3');
  await known(1, 'INV1');
  await known(8, 'wet');
  for (const text of ['OLDSIGN9', 'OLDPHOTO9', 'OLDDAMAGE9', 'OLDOVER9']) await known(9, text);
  for (const text of ['OLDPHOTO10', 'OLDOTHER10']) await known(10, text);
  for (const text of ['both@store.example', 'bea@store.example']) await known(11, text);
  // The header: the old system alone has closed the route. A closed route is seldom read, so this comes last.
  await old.close({ facility: 'F01', route: 'R7', week: WEEK }, { RHCLDT: 20261121, RHCLTM: 100500, RHCLBY: 'D' });
  await known(-1, '100500');
}, 180_000);

/** Stops with files and addresses. */
async function recordFiles(key: RouteKey): Promise<void> {
  const { depot, old } = world;
  // 9: equal. Each system names its files and numbers its rows.
  const damage = { osd_code: 10, data: [{ quantity: 1, images_id: fileOf('DAMAGE9') }] };
  const overage = { osd_code: 20, barcode: '4711', quantity: 2, images_id: fileOf('OVER9') };
  await depot.record(key, {
    id: 9,
    updates: { ...byDriver(''), signature_id: fileOf('SIGN9'), overage_items: [overage] },
    products: [line(9, 5, { image_ids: [fileOf('PHOTO9')], osd_data: [damage] })],
  });
  await old.writeResult(stopOf(9), 'D', { ...byOldSystem(''), RUSIG: 'OLDSIGN9' });
  await old.writeLine(stopOf(9), oldLine(9, 5, { RQIMG: 'OLDPHOTO9', RQIMGN: 1 }));
  const place = { OSGRP: 1, OSENT: 1 };
  const itsDamage = {
    OSTYP: 'P',
    OSSEQ: 700,
    OSITM: 'ITEM1',
    OSINV: 'INV9',
    OSCOD: '10',
    OSQTY: 1,
    OSIMG: 'OLDDAMAGE9',
  };
  await old.writeException(stopOf(9), { ...itsDamage, ...place });
  const itsOverage = { OSTYP: 'O', OSSEQ: 701, OSBAR: '4711', OSCOD: '20', OSQTY: 2, OSIMG: 'OLDOVER9' };
  await old.writeException(stopOf(9), { ...itsOverage, ...place });
  await old.writePhoto(stopOf(9), oldPhoto(9, 7, 'OLDPHOTO9'));
  await old.writePhoto(stopOf(9), oldPhoto(9, 1, 'OLDOVER9', { RIQTYP: 'O', RIINV: '', RIITM: '', RILIN: 701 }));
  // 10: a second photo of the line, a photo of another line, and a signature that the old system lacks.
  await depot.record(key, {
    id: 10,
    updates: { ...byDriver(''), signature_id: fileOf('SIGN10') },
    products: [line(10, 5, { image_ids: [fileOf('PHOTO10'), fileOf('SECOND10')] })],
  });
  await old.writeResult(stopOf(10), 'D', byOldSystem(''));
  await old.writeLine(stopOf(10), oldLine(10, 5, { RQIMG: 'OLDPHOTO10', RQIMGN: 2 }));
  await old.writePhoto(stopOf(10), oldPhoto(10, 1, 'OLDPHOTO10'));
  await old.writePhoto(stopOf(10), oldPhoto(10, 1, 'OLDOTHER10', { RIITM: 'ITEM2' }));
  // 11: one address in common, and one more on each side.
  await depot.record(key, {
    id: 11,
    updates: { ...byDriver(''), osd_emails: ['ana@store.example', 'both@store.example'] },
  });
  await old.writeResult(stopOf(11), 'D', byOldSystem(''));
  await old.writeAddress(stopOf(11), { REMSEQ: 1, REMADR: 'both@store.example' });
  await old.writeAddress(stopOf(11), { REMSEQ: 2, REMADR: 'bea@store.example' });
}

test('the office reads the same by kinds of differences, with the first rows of each', async () => {
  const server = await startRestServer({ database: world.depot.database, legacyMap: world.legacyMap });
  const headers = { authorization: `Bearer ${opsToken}` };
  const read = (query: string) => server.client.take(operations.readShadow, { headers, query });
  const report = await read('?facility=F01&day=20261121');
  expect(report).toMatchObject({ modes: [{ facility: null, mode: 'shadow' }], routes: 1, stops: 12, equal_stops: 3 });
  expect(report.complete).toBe(true);
  expect(report.kinds.map(({ verdict, file, column, count }) => `${verdict} ${file}.${column} ${count}`)).toEqual(
    expect.arrayContaining([
      'different RTSTUP.RUCMT 1',
      'different RTSTUP.RUSNAM 1',
      'different RTPRUP.RQDLV 1',
      'missing there RTSTUP. 1',
      'missing here RTSTUP. 1',
      'missing there RTOSDP. 1',
      'different RTHDRP.RHPODS 1',
      'missing there RTIMGP. 1',
      'missing here RTIMGP. 1',
      'missing there RTEMLP. 1',
      'missing here RTEMLP. 1',
    ]),
  );
  const place = { facility: 'F01', route_id: 'R7', week_end: `${WEEK}` };
  expect(report.kinds.find(({ column }) => column === 'RUSNAM')).toEqual({
    verdict: 'different',
    file: 'RTSTUP',
    column: 'RUSNAM',
    label: 'Name of the receiving employee',
    count: 1,
    first: [{ ...place, stop_id: 2, row: '', tailgate: 'Ana', other_system: 'Bea' }],
  });
  expect(report.kinds.find(({ column }) => column === 'RHPODS')?.first).toEqual([
    { ...place, stop_id: null, row: '', tailgate: '', other_system: 'C' },
  ]);
  expect(await read('?facility=F02')).toMatchObject({ routes: 0, kinds: [] });
  expect(await read('?day=20261120')).toMatchObject({ routes: 0 });
});

/** Stop, verdict, file, column and both values of each difference. */
const listDifferences = async (...argv: string[]) =>
  (await compare(...argv))
    .slice(1)
    .map(([, , , stop, kind, file, column, , ours, theirs]) => [...[stop, kind, file, column], ...[ours, theirs]]);

describe('npm run ops -- shadow', () => {
  test('finds each kind of difference and names it by stop, file, column and both values', async () => {
    const [head] = await compare('--facility', 'F01');
    expect(head?.join(',')).toBe('facility,route,week_end,stop,verdict,file,column,row,tailgate,other_system');
    const found = await listDifferences();
    expect(found).toContainEqual(['1', 'different', 'RTSTUP', 'RUCMT', 'At the dock', 'AT THE DOCK']);
    expect(found).toContainEqual(['2', 'different', 'RTSTUP', 'RUSNAM', 'Ana', 'Bea']);
    expect(found).toContainEqual(['3', 'different', 'RTPRUP', 'RQDLV', '5', '4']);
    expect(found).toContainEqual(['4', 'missing there', 'RTSTUP', '', expect.stringContaining('RUSTS=D'), '']);
    expect(found).toContainEqual(['4', 'different', 'RTSTPP', 'RSSTS', 'D', '']);
    expect(found).toContainEqual(['5', 'missing here', 'RTSTUP', '', '', expect.stringContaining('RUSTS=D')]);
    expect(found).toContainEqual(['6', 'missing there', 'RTOSDP', '', expect.stringContaining('OSCOD=10'), '']);
    // And nothing beside them: lines, exceptions and times that agree are no lines here.
    expect(new Set(found.map(([stop]) => stop))).toEqual(new Set(['', '1', '2', '3', '4', '5', '6', '10', '11']));
    // The exception with another number is the same exception.
    expect(found.filter(([stop, kind]) => stop === '6' && kind !== 'different')).toHaveLength(1);
  });

  test('compares the header, photos and addresses, whatever each system calls and numbers them', async () => {
    const found = await listDifferences();
    const of = (wanted: string) => found.filter(([stop]) => stop === wanted).map(([, ...rest]) => rest);
    expect(of('')).toEqual([
      ['different', 'RTHDRP', 'RHPODS', '', 'C'],
      ['different', 'RTHDRP', 'RHCLDT', '0', '20261121'],
      ['different', 'RTHDRP', 'RHCLTM', '0', '100500'],
      ['different', 'RTHDRP', 'RHCLBY', '', 'D'],
    ]);
    expect(of('10')).toEqual([
      ['missing there', 'RTIMGP', '', 'RIQTYP=P RIINV=INV10 RIITM=ITEM1 RILIN=1', ''],
      ['missing here', 'RTIMGP', '', '', 'RIQTYP=P RIINV=INV10 RIITM=ITEM2 RILIN=1'],
      ['different', 'RTSTUP', 'RUSIG', fileOf('SIGN10'), ''],
    ]);
    expect(of('11')).toEqual([
      ['missing there', 'RTEMLP', '', 'REMADR=ana@store.example', ''],
      ['missing here', 'RTEMLP', '', '', 'REMADR=bea@store.example'],
    ]);
    // Excused: signature, first photo of the line, damage, overage, and the rows of two photos.
    const stops = await compare('--whole');
    expect(stops.filter(([, , , stop]) => stop === '9')).toEqual([
      ['F01', 'R7', `${WEEK}`, '9', 'same', '', '', '', expect.stringContaining('columns'), '6 excused'],
    ]);
  });

  test('leaves out what a rule excuses, and lists equal stops on request', async () => {
    const rules = join(await temporaryFolder(), 'rules.txt');
    await writeFile(rules, 'RTSTUP.RUCMT case  # the old system has capitals\nRTPRUP.RQDLV within 1\n');
    const lines = await compare('--rules', rules, '--whole');
    expect(lines.filter(([, , , stop]) => stop === '1')).toEqual([
      ['F01', 'R7', `${WEEK}`, '1', 'same', '', '', '', expect.stringContaining('columns'), '1 excused'],
    ]);
    expect(lines.filter(([, , , stop]) => stop === '3').map(([, , , , verdict]) => verdict)).toEqual(['same']);
    await writeFile(rules, 'RTSTUP.RUCMT case\nRTSTUP.NOPE any\n');
    await expect(compare('--rules', rules)).rejects.toThrow('line 2: RTSTUP.NOPE is no column that the service writes');
    await writeFile(rules, 'RTSTUP.RUETM within\n');
    await expect(compare('--rules', rules)).rejects.toThrow('line 1: expected FILE.COLUMN');
  });

  describe('--table', () => {
    const shadowLibrary = 'PODSHD';
    const openHost = () => openTestHost(world.depot.database.url, 'TAILGATE');
    const store = (...argv: string[]) => {
      const options = { autocloseSeconds: 600, keyFile: '', shadowLibrary, openHost, legacyMap: world.legacyMap };
      return runOpsCommand(parseOpsCommand(['shadow', '--table', ...argv]), world.pool, options);
    };
    const stored = (where: string) =>
      world.rows<Record<string, string>>(`select * from PODSHD.PODSHDP where ${where} order by SHRTE, SHSEQ`);
    const doctor = async () => {
      const host = await openHost();
      try {
        const options = { now: () => new Date(), form: 'short' as const, shadowLibrary };
        const { findings } = await examine(host, { changes: 'polling', live: false }, options);
        return findings.find(({ check }) => check === 'comparison');
      } finally {
        await host.close();
      }
    };

    test('puts the same differences into a table of a library of the service, and nothing into the other library', async () => {
      expect(await doctor()).toMatchObject({ level: 'no_go', says: expect.stringContaining('42') as unknown });
      const lines = await compare();
      expect(await store()).toBe(`PODSHD.PODSHDP has 1 routes with ${lines.length - 1} differences.`);
      expect(await stored('SHSEQ = 0')).toMatchObject([{ shver: 'D', shcnt: `${lines.length - 1}`, shstp: '-1' }]);
      expect(await stored("SHCOL = 'RUSNAM'")).toMatchObject([
        { shstp: '2', shver: 'D', shfil: 'RTSTUP    ', shour: 'Ana'.padEnd(256), shthr: 'Bea'.padEnd(256) },
      ]);
      expect((await stored("SHVER = 'H'")).map(({ shstp, shfil }) => `${shstp} ${shfil?.trim()}`)).toEqual([
        ...['5 RTSTUP', '10 RTIMGP', '11 RTEMLP'],
      ]);
      expect(await stored("SHCOL = 'RHPODS'")).toMatchObject([{ shstp: '-1', shthr: 'C'.padEnd(256) }]);
      expect((await stored("SHVER = 'T'")).map(({ shstp, shfil }) => `${shstp} ${shfil?.trim()}`)).toEqual(
        expect.arrayContaining(['4 RTSTUP', '6 RTOSDP', '10 RTIMGP', '11 RTEMLP']),
      );
      expect(await doctor()).toMatchObject({ level: 'go', says: 'PODSHD.PODSHDP is there, and the user may write it' });
      expect(await world.statements()).toEqual([]);
    });

    test('a further run replaces the rows; a route that is compared no more leaves the table with a run of all', async () => {
      const rules = join(await temporaryFolder(), 'rules.txt');
      await writeFile(rules, 'RTSTUP.RUCMT any\nRTSTUP.RUSNAM any\n');
      await world.rows(`insert into PODSHD.PODSHDP (SHFAC, SHRTE, SHWKE, SHSEQ) values ('F01', 'OLD', 20251101, 0)`);
      const before = await stored("SHRTE = 'R7'");
      expect(await store('--rules', rules, '--facility', 'F01')).toContain(`${before.length - 3} differences`);
      expect(await stored("SHRTE = 'R7'")).toHaveLength(before.length - 2);
      expect(await stored("SHRTE = 'OLD'")).toHaveLength(1);
      await store('--rules', rules);
      expect(await stored("SHRTE = 'OLD'")).toEqual([]);
    });

    test('has all routes, also where one read does not list them all; the office says that there are more', async () => {
      for (const id of ['R8', 'R9']) await world.imported(await world.dispatch('F01', id, [1]));
      await world.rows(`update route set shadow_through = 1 where id in ('R8', 'R9')`);
      const routes: string[] = [];
      const rules = { excuses: alwaysExcused, routesAPage: 2 };
      for await (const { route, stop } of compareRoutes(world.pool, {}, rules))
        if (stop === undefined) routes.push(route.id);
      expect(routes).toEqual(['R7', 'R8', 'R9']);
      expect(await store()).toContain('has 3 routes');
      expect(await readShadow({ db: world.pool, maxRoutes: 2 }, {})).toMatchObject({ routes: 2, complete: false });
    });

    test('needs SHADOW_LIBRARY', async () => {
      await expect(compare('--table')).rejects.toThrow('--table: set SHADOW_LIBRARY');
    });
  });

  test('changes nothing on the host', async () => {
    expect(await world.statements()).toEqual([]);
  });
});
