import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { allLive } from '../../server/src/modes/modes.ts';
import { hostRestored, replay } from '../../server/src/replication/from-host/replay.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { opsManual } from '../../server/src/ops/commands/cli.ts';
import { parseHostCommand, runHostCommand } from '../../server/src/ops/commands/host-commands.ts';
import { openDepot } from '../support/depot.ts';
import { atFileEnd } from '../support/file-end.ts';

// Rows of the host that went back to an earlier state: one by one, or with their library.

const depot = await openDepot();
const { pool } = depot.database;
const leases = new Leases({ db: pool, owner: randomUUID() });
atFileEnd(() => leases.close());
const options = { db: pool, host: depot.host, leases, clock: () => depot.clock.now, dry: false };
const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const later = (minutes: number) => (depot.clock.now = new Date(depot.clock.now.getTime() + minutes * 60_000));

const result = async (route: string) => (await depot.show('RTSTUP', `RURTE = '${route}'`))[0];
const record = async (key: Awaited<ReturnType<typeof depot.addRoute>>, comment: string) => {
  await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: comment } });
  await depot.replicateOnce(key);
};
/** Copies the files of stops, or puts them back: no trigger and no audit tail sees it. */
const files = ['RTHDRP', 'RTSTPP', 'RTSTUP', 'RTPRUP', 'RTOSDP', 'RTIMGP', 'RTEMLP', 'PODCHGP'];
const backUp = async () => {
  for (const file of files)
    await pool.query(
      `drop table if exists public.saved_${file}; create table public.saved_${file} as table PODDTA.${file}`,
    );
};
const putBack = async () => {
  const statements = files.map(
    (file) =>
      `delete from PODDTA.${file}; insert into PODDTA.${file} overriding system value table public.saved_${file}`,
  );
  await pool.query(
    ['set session_replication_role = replica', ...statements, 'set session_replication_role = origin'].join(';'),
  );
};

test('a row that went back is written again; one that is as it was is not touched', async () => {
  const [key, other] = [await depot.addRoute('AGAIN', [1]), await depot.addRoute('SAME', [1])];
  await record(key, 'first');
  await record(other, 'same');
  await backUp();
  await record(key, 'second');
  await putBack();
  const before = await result('SAME');
  const dry = await replay({ ...options, dry: true }, { facility: 'F01' });
  expect(dry).toMatchObject({ routes: 2, lines: [{ route: key, stop: 1, verdict: 'again' }], files: [] });
  await depot.replicateOnce(key);
  expect(await result('AGAIN')).toMatchObject({ RUCMT: 'first' });

  const report = await replay(options, { facility: 'F01', route: 'AGAIN', week: '20261128' });
  expect(report.lines).toEqual([{ route: key, stop: 1, verdict: 'again' }]);
  await depot.replicateOnce(key);
  expect(await result('AGAIN')).toMatchObject({ RUCMT: 'second' });
  expect(await result('SAME')).toEqual(before);
  expect((await replay(options, { facility: 'F01' })).lines).toEqual([]);
});

test('a file that has lost rows gets them back; a clerk’s row in it stays, and so does one in another file', async () => {
  const keys = [
    await depot.addRoute('LOST', [1]),
    await depot.addRoute('OTHER', [1]),
    await depot.addRoute('EDITED', [1]),
  ];
  for (const key of keys) await record(key, 'of the driver');
  later(1);
  const silently = (statement: string) =>
    pool.query(`set session_replication_role = replica; ${statement}; set session_replication_role = origin`);
  await silently(`delete from PODDTA.RTSTUP where RURTE in ('LOST', 'OTHER')`);
  await silently(`update PODDTA.RTSTPP set RSSTS = 'R', RSUUSR = 'CLERK' where RSRTE = 'OTHER'`);
  await depot.clerk(`update PODDTA.RTSTUP set RUCMT = 'of the clerk', RUUUSR = 'CLERK' where RURTE = 'EDITED'`);
  const { lines } = await replay(options, { facility: 'F01', file: 'RTSTUP' });
  const [lost, other, edited] = keys;
  expect(lines.filter(({ route }) => keys.some(({ id }) => id === route.id))).toEqual([
    { route: edited, stop: 1, verdict: 'foreign' },
    { route: lost, stop: 1, verdict: 'again' },
    { route: other, stop: 1, verdict: 'again' },
  ]);
  for (const key of keys) await depot.replicateOnce(key);
  expect(await result('LOST')).toMatchObject({ RUCMT: 'of the driver', RUSTS: 'D' });
  expect(await result('OTHER')).toMatchObject({ RUCMT: 'of the driver' });
  // The clerk’s status of the stop is no loss: it waits for the import.
  expect(await depot.show('RTSTPP', "RSRTE = 'OTHER'")).toMatchObject([{ RSSTS: 'R', RSUUSR: 'CLERK' }]);
  expect(await result('EDITED')).toMatchObject({ RUCMT: 'of the clerk' });
  await depot.importNow();
});

test('a row that a clerk changed stays, and is named', async () => {
  const key = await depot.addRoute('CLERK', [1]);
  await record(key, 'of the driver');
  later(1);
  await depot.clerk(`update PODDTA.RTSTUP set RUCMT = 'of the clerk' where RURTE = 'CLERK'`);
  const report = await replay(options, { facility: 'F01', route: 'CLERK' });
  expect(report.lines).toEqual([{ route: key, stop: 1, verdict: 'foreign' }]);
  await depot.importNow();
  await depot.replicateOnce(key);
  expect(await result('CLERK')).toMatchObject({ RUCMT: 'of the clerk' });
});

test('a route that a worker writes at this moment is left, and named', async () => {
  const key = await depot.addRoute('BUSY', [1]);
  await record(key, 'first');
  const others = new Leases({ db: pool, owner: randomUUID() });
  const lease = await others.acquire(key);
  expect((await replay(options, { facility: 'F01', route: 'BUSY' })).lines).toEqual([{ route: key, verdict: 'busy' }]);
  if (lease) await others.release(lease);
  await others.close();
});

test('clerk’s edit, backup, driver’s edit, restore: the driver’s later word stays, and a clerk’s edit since is lost by name', async () => {
  const key = await depot.addRoute('LIBRARY', [1]);
  await record(key, 'first');
  later(1);
  await depot.clerk(
    `update PODDTA.RTSTUP set RUCMT = 'of the clerk', RUUUSR = 'CLERK', RUUPGM = 'QPGM' where RURTE = 'LIBRARY'`,
  );
  await depot.importNow();
  await depot.replicateOnce(key);
  expect(await result('LIBRARY')).toMatchObject({ RUCMT: 'of the clerk' });
  await backUp();
  const asOf = later(5);
  later(5);
  await record(key, 'the later word');
  expect(await result('LIBRARY')).toMatchObject({ RUCMT: 'the later word' });
  await putBack();
  expect(await result('LIBRARY')).toMatchObject({ RUCMT: 'of the clerk' });

  later(10);
  await pool.query(`update host_shadow set confirmed_at = $1 where route_id = 'LIBRARY'`, [depot.clock.now]);
  const report = await hostRestored(options, asOf);
  expect(report?.lines).toContainEqual({ route: key, stop: 1, verdict: 'again' });
  await depot.compareAll();
  await depot.replicateOnce(key);
  expect(await result('LIBRARY')).toMatchObject({ RUCMT: 'the later word' });
  const { rows } = await pool.query<{ doc: string }>(`select doc from stop_result where route_id = 'LIBRARY'`);
  expect(rows[0]?.doc).toContain('the later word');
  const [lost] =
    (await hostRestored(options, new Date('2026-11-21T15:00:00.000Z')))?.lost.filter(
      ({ route }) => route.id === 'LIBRARY',
    ) ?? [];
  expect(lost).toMatchObject({ route: key, stop: 1 });
});

test('the same where the backup has the clerk’s line in the doorbell: the import that finds it changes nothing', async () => {
  const key = await depot.addRoute('RINGS', [1]);
  await record(key, 'first');
  later(1);
  await depot.clerk(`update PODDTA.RTSTUP set RUCMT = 'of the clerk', RUUUSR = 'CLERK' where RURTE = 'RINGS'`);
  await backUp();
  await depot.importNow();
  await depot.replicateOnce(key);
  const asOf = later(5);
  later(5);
  await record(key, 'the later word');
  later(10);
  // The clock of the host goes on, too: the line is as old as the edit.
  await pool.query(`update public.saved_PODCHGP set CHTS = CHTS - interval '20 minutes'`);
  await putBack();
  expect(await depot.show('PODCHGP', `CHFIL = 'RTSTUP'`)).not.toEqual([]);

  await pool.query(`update host_shadow set confirmed_at = $1 where route_id = 'RINGS'`, [depot.clock.now]);
  const report = await hostRestored(options, asOf);
  expect(report?.lines).toContainEqual({ route: key, stop: 1, verdict: 'again' });
  await depot.importNow();
  await depot.replicateOnce(key);
  expect(await result('RINGS')).toMatchObject({ RUCMT: 'the later word' });
  const { rows } = await pool.query<{ source: string }>(
    `select source from ledger where route_id = 'RINGS' order by version`,
  );
  expect(rows.map(({ source }) => source).at(-1)).not.toBe('office');
});

test('an edit that a clerk makes after the restore is no old row: the import takes it', async () => {
  depot.clock.now = new Date(Date.now() - 30_000);
  const key = await depot.addRoute('SINCE', [1]);
  await record(key, 'first');
  const asOf = new Date(Date.now() - 60_000);
  await depot.clerk(`update PODDTA.RTSTUP set RUCMT = 'since' where RURTE = 'SINCE'`);
  depot.clock.now = new Date();
  const report = await hostRestored(options, asOf);
  expect(report?.lines.filter(({ route }) => route.id === 'SINCE')).toEqual([
    { route: key, stop: 1, verdict: 'foreign' },
  ]);
  await depot.importNow();
  expect(await result('SINCE')).toMatchObject({ RUCMT: 'since' });
});

test('while a node is importing, nothing is done', async () => {
  const holder = await pool.connect();
  await holder.query(`begin; select pg_advisory_xact_lock(hashtext('tailgate import'))`);
  expect(await hostRestored(options, depot.clock.now)).toBeUndefined();
  await holder.query('rollback');
  holder.release();
});

describe('npm run ops -- replay, host-restored', () => {
  const parse = (...words: string[]) => parseHostCommand(words, opsManual);
  const run = async (...words: string[]) => {
    const command = parse(...words);
    if (!command) throw new Error('that is no command of the host');
    return runHostCommand(command, { ...options, owner: randomUUID(), modes: allLive });
  };

  test('say what goes to the host again; --dry only says it', async () => {
    const key = await depot.addRoute('COMMAND', [1]);
    await record(key, 'first');
    await backUp();
    await record(key, 'second');
    await putBack();
    const place = ['replay', '--route', 'F01/COMMAND/20261128'];
    expect(await run(...place, '--dry')).toBe(
      '1 routes compared. 1 stops and headers and 0 files would go to the host again.\n  again    F01/COMMAND/20261128 stop 1',
    );
    expect(await run('host-restored', '--as-of', depot.clock.now.toISOString(), '--dry')).toContain(
      'edits of the office after',
    );
    expect(await run(...place)).toContain('1 stops and headers and 0 files go to the host again');
    await depot.replicateOnce(key);
    expect(await result('COMMAND')).toMatchObject({ RUCMT: 'second' });
    const day = depot.clock.now.toISOString().slice(0, 10).replaceAll('-', '');
    expect(await run('replay', '--day', day, '--facility', 'F01', '--dry')).toMatch(
      /^[1-9]\d* routes compared\. 0 stops/,
    );
  });

  test('host-restored changes nothing while a worker runs, because its import takes lost rows for edits', async () => {
    const key = await depot.addRoute('BESIDE', [1]);
    await record(key, 'first');
    await backUp();
    await record(key, 'second');
    await putBack();
    const asOf = depot.clock.now.toISOString();
    const worker = randomUUID();
    await pool.query(`insert into worker_heartbeat (worker, seen_at) values ($1, now())`, [worker]);
    await expect(run('host-restored', '--as-of', asOf)).rejects.toThrow('stop the workers first');
    expect(await run('host-restored', '--as-of', asOf, '--dry')).toContain('again    F01/BESIDE/20261128 stop 1');
    await depot.replicateOnce(key);
    expect(await result('BESIDE')).toMatchObject({ RUCMT: 'first' });
    await pool.query('delete from worker_heartbeat where worker = $1', [worker]);
    await run('host-restored', '--as-of', asOf);
    await depot.replicateOnce(key);
    expect(await result('BESIDE')).toMatchObject({ RUCMT: 'second' });
  });

  test.each([
    [['replay'], 'replay --route FACILITY/ROUTE/WEEK'],
    [['replay', '--route', 'F01/R1'], '--route: expected FACILITY/ROUTE/WEEK'],
    [['replay', '--day', '2026-11-21'], '--day: expected YYYYMMDD, got 2026-11-21'],
    [['replay', '--file', 'RTHDRP'], '--file: expected one of RTSTPP, RTPRUP, '],
    [['replay', '--file', 'RTPRUP', '--day', '20261121'], 'replay --route FACILITY/ROUTE/WEEK'],
    [['first-load', '--dry'], 'first-load [--from YYYYMMDD]'],
    [['first-load', '--from', '2026'], '--from: expected YYYYMMDD, got 2026'],
    [['replay', '--from', '20261121', '--day', '20261121'], 'replay --route FACILITY/ROUTE/WEEK'],
    [['replay', '--day', '20261121', '--route', 'F01/R1/20261128'], 'replay --route FACILITY/ROUTE/WEEK'],
    [['host-restored'], 'host-restored --as-of TIME'],
    [['host-restored', '--as-of', '2026-11-21 15:00'], '--as-of: expected a time with its offset'],
  ])('%j is refused', (words, message) => {
    expect(() => parse(...words)).toThrow(message);
  });
});
