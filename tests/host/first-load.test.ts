import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { opsManual } from '../../server/src/ops/commands/cli.ts';
import { parseHostCommand, runHostCommand } from '../../server/src/ops/commands/host-commands.ts';
import type { Db } from '../../server/src/db/types.ts';
import { allLive } from '../../server/src/modes/modes.ts';
import type { LegacyModes } from '../../server/src/modes/host-mode.ts';
import { opsOperations } from '../../server/src/ops/operations.ts';
import { opsToken, startRestServer } from '../support/rest-server.ts';
import { createDatabase } from '../support/postgres.ts';
import { routeFile } from './import-fixture.ts';
import { openStage } from './import-stage.ts';

// `npm run ops -- first-load`: what an import would take from a host with the headers of years.

const { host, pool, database, dispatch, sql, openImport } = await openStage('doorbell');
const server = await startRestServer({ database });

/** The same while the import loads them, for the office. */
const progress = async () =>
  (await server.client.take(opsOperations.readFirstLoad, { headers: { authorization: `Bearer ${opsToken}` } })).load;

/** The import's own clock: the route files end their week on 20261121 and later ones. */
const now = new Date('2026-11-21T12:00:00Z');
const firstLoad = (...words: string[]) => firstLoadBeside(pool, allLive, ...words);
const firstLoadBeside = async (db: Db, modes: LegacyModes, ...words: string[]) => {
  const command = parseHostCommand(['first-load', ...words], opsManual);
  if (!command) throw new Error('that is no command of the host');
  const deps = { db, host, owner: randomUUID(), clock: () => now, importFrom: '20261001', modes };
  return (await runHostCommand(command, deps)).split('\n');
};
const week = (id: string, weekEnd: string) => dispatch({ ...routeFile(id), week_end: weekEnd });

test('routes that would come, by their reasons; nothing is changed', async () => {
  await week('OPEN', '20261121');
  await week('CLOSED', '20261121');
  await week('PLANNED', '20261121');
  await week('ALONE', '20261121');
  await week('EMPTY', '20261031');
  await week('HISTORY', '20261031');
  await week('ANCIENT', '20240106');
  await sql("update RTHDRP set RHPODS = 'C' where RHRTE in ('CLOSED', 'HISTORY', 'ANCIENT')");
  await sql("update RTHDRP set RHDSDT = 0 where RHRTE = 'PLANNED'");
  await sql("delete from RTDRVP where RDRTE in ('ALONE', 'EMPTY')");
  await sql("delete from RTSTPP where RSRTE = 'EMPTY'");
  await sql("insert into RTHDRP (RHFAC, RHRTE, RHWKE) values (' ', 'BLANK', 20261121)");
  expect(await firstLoad()).toEqual([
    '5 routes would come: 4 open, 1 closed. 0 are loaded already.',
    '  F01   5',
    'Of those that would come: 2 without a driver, 1 without a stop, 1 not dispatched yet (no phone sees them).',
    '1 are older than week 20261001 (IMPORT_FROM) and stay out.',
    '1 are closed (RHPODS = C) and older than week 20261113: history, and stay out.',
    '1 have a key that no route can have, and stay out.',
  ]);
  expect((await pool.query('select id from route')).rowCount).toBe(0);
});

test('before the first start of a server the database has no tables, and the count is the same', async () => {
  const { pool: empty } = await createDatabase({ empty: true });
  expect(await firstLoadBeside(empty, allLive)).toEqual(await firstLoad());
});

test('routes of a facility that is off stay out', async () => {
  const lines = await firstLoadBeside(pool, { otherwise: 'off', facilities: new Map() });
  expect(lines[0]).toBe('0 routes would come: 0 open, 0 closed. 0 are loaded already.');
  expect(lines).toContain('5 belong to facilities that are off (LEGACY_MODE), and stay out.');
});

test('another first week counts anew', async () => {
  expect((await firstLoad('--from', '20240101'))[0]).toBe(
    '5 routes would come: 4 open, 1 closed. 0 are loaded already.',
  );
  expect((await firstLoad('--from', '20261120'))[3]).toBe('3 are older than week 20261120 (IMPORT_FROM) and stay out.');
});

test('the import takes these at a pace, changes have their turn meanwhile, and a start goes on where the last ended', async () => {
  const loaded = async () => {
    const { rows } = await pool.query<{ id: string; name: string }>('select id, name from route order by id');
    return rows;
  };
  // On a host with older routes than its triggers no line of the doorbell names them.
  await pool.query('delete from PODDTA.PODCHGP');
  const first = openImport(host, 60, pool, '20260101', 1);
  expect(await progress()).toBeNull();
  expect(await first.imports.importNow()).toBe(false);
  expect(await loaded()).toHaveLength(1);
  const counted = {
    without_driver: 2,
    without_stops: 1,
    not_dispatched: 1,
    older: 1,
    open_from: '20260101',
    unusable: 1,
    off: 0,
    of_other_cells: 0,
  };
  expect(await progress()).toMatchObject({ routes: 5, loaded: 1, ended_at: null, ...counted });
  const id = (await loaded()).map((route) => route.id).join(' ');
  await sql(`update RTHDRP set RHNAM = 'Changed' where RHRTE = '${id}'`);
  await first.imports.importNow();
  expect(await loaded()).toEqual([{ id, name: 'Changed' }]);
  expect(first.log.lines.filter(({ fields }) => 'left' in fields)).toHaveLength(1);
  expect(await first.imports.findDrift('everything')).toMatchObject({ plans: [] });
  expect(await loaded()).toHaveLength(1);
  await first.imports.stop();
  expect((await firstLoad('--from', '20260101'))[0]).toMatch(/ 1 are loaded already\.$/);

  const second = openImport(host, 3_600, pool, '20260101', 1).imports;
  expect(await second.importNow()).toBe(true);
  expect(await progress()).toMatchObject({ routes: 5, loaded: 5, ended_at: expect.any(String) as unknown });
  const ids = (await loaded()).map((route) => route.id);
  expect(ids).toEqual(expect.arrayContaining(['ALONE', 'EMPTY', 'OPEN', 'PLANNED']));
  expect(ids.filter((one) => ['ANCIENT', 'BLANK', 'HISTORY'].includes(one))).toEqual([]);
  expect((await firstLoad('--from', '20260101'))[0]).toMatch(/ routes would come: 0 open, /);
});

test('by polling, too, new routes come at the pace, and changes of the loaded ones at once', async () => {
  const polled = await openStage('polling');
  const loaded = async () =>
    (await polled.pool.query<{ id: string; name: string }>('select id, name from route order by id')).rows;
  for (const id of ['ONE', 'TWO', 'THREE']) await polled.dispatch(routeFile(id));
  const slow = polled.openImport(polled.host, 60, polled.pool, '20260101', 1).imports;
  await slow.importNow();
  const [first, ...others] = await loaded();
  expect([first?.name, others]).toEqual(['North', []]);
  await polled.sql(`update RTHDRP set RHNAM = 'South' where RHRTE = '${first?.id}'`);
  await slow.importNow();
  expect(await loaded()).toEqual([{ id: first?.id, name: 'South' }]);
  await slow.stop();
  await polled.openImport(polled.host, 60, polled.pool, '20260101').imports.importNow();
  expect((await loaded()).map(({ id }) => id)).toEqual(['ONE', 'THREE', 'TWO']);
});
