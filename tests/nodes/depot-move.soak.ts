import { MemoryStore } from '@tailgate/client-sdk';
import { askForCell, findCell } from '@tailgate/client-sdk/cell';
import { beforeAll, describe, expect, test } from 'vitest';
import { weekEndOf } from '../../server/src/demo/routes.ts';
import { makeCells, type Cell } from '../support/cells.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { copyRoute } from '../support/second-depot.ts';
import { reservePort } from '../support/reserved-port.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { allOnHost, openSignedUp, until } from '../system/device.ts';
import { demoRoute } from '../system/service.ts';

// Facility F01 moves from cell north to cell south at a week's end, as docs/scaling.md describes it.

const week = 7 * 86_400_000;
const present = demoRoute('R100');
const next = { ...present, week_end: weekEndOf(new Date(Date.now() + week)) };
const delivered = (words: string) => ({ status: 'D', driver_comments: words }) as const;

let library: TestDatabase;
let cells: { readonly north: Cell; readonly south: Cell };
let ports: { readonly north: number; readonly south: number };
let settings: (
  cell: 'north' | 'south',
  facilities: string,
  more?: Record<string, string>,
) => Promise<Record<string, string>>;
let north: ServerProcess;

beforeAll(async () => {
  library = await createDatabase({ empty: true });
  const [one, other] = await makeCells(await createDatabase({ empty: true }), ['north', 'south']);
  if (!one || !other) throw new Error('two cells were made');
  cells = { north: one, south: other };
  settings = async (cell, facilities, more) => ({
    DATABASE_URL: cells[cell].url,
    CELL: cells[cell].name,
    PORT: String(ports[cell]),
    FACILITIES: facilities,
    LEGACY_URL: library.url,
    DATA_DIR: await temporaryFolder(),
    HOST_POLL_SECONDS: '1',
    DEMO: '0',
    ...more,
  });
  ports = { north: await reservePort(), south: await reservePort() };
  north = await startServer(await settings('north', 'F01', { DEMO: '1', CELLS: addressOf('north') }));
});

const addressOf = (cell: 'north' | 'south'): string => `http://127.0.0.1:${ports[cell]}`;

const weeksOf = async ({ pool }: Cell) => {
  const { rows } = await pool.query<{ week: string }>(
    `select distinct week_end as week from route where id = 'R100' order by 1`,
  );
  return rows.map((row) => row.week);
};

const resultsOn = async (stop: number) => {
  const { rows } = await library.pool.query<{ week: string; words: string }>(
    `select ruwke::text as week, trim(rucmt) as words from poddta.rtstup where rurte = 'R100' and rustp = $1 order by 1`,
    [stop],
  );
  return rows;
};

describe('a depot that moves at a week’s end', () => {
  test('drains its old routes where they are, takes new ones in the new cell, and its phones follow', async () => {
    const disk = new MemoryStore();
    const question = { directory: addressOf('north'), facility: 'F01', store: disk };
    expect(await findCell(question)).toBe(addressOf('north'));
    const old = await openSignedUp(ports.north, '1001', disk);
    const first = old.app.updateStop(present, { id: 1, updates: delivered('in time') });
    await allOnHost(old.app, [first.id]);
    old.loseNetwork();
    const late = old.app.updateStop(present, { id: 2, updates: delivered('in the dead zone') });
    await late.saved;

    // The week's end: north goes on without F01, south takes it from the next week on, and the office dispatches that.
    await north.stop();
    const directory = `${addressOf('north')},F01=${addressOf('south')}`;
    north = await startServer(await settings('north', 'F09', { CELLS: directory }));
    await startServer(await settings('south', `F01:${next.week_end}`, { CELLS: directory }));
    await copyRoute(library, { ...present, driver: '1001' }, { ...next, driver: '1001' });
    await expect.poll(() => weeksOf(cells.south)).toEqual([next.week_end]);
    old.kill();
    expect(await askForCell(question)).toEqual({ kind: 'owed', url: addressOf('north') });

    // What was recorded in the old cell drains there: queue, ledger and watermark stay.
    await old.restoreNetwork();
    const draining = await old.start();
    await allOnHost(draining, [first.id, late.id]);
    expect(await resultsOn(2)).toEqual([{ week: present.week_end, words: 'in the dead zone' }]);
    const { rows: routes } = await cells.north.pool.query(
      `select behind from route where id = 'R100' and week_end = $1`,
      [present.week_end],
    );
    expect(routes).toEqual([{ behind: false }]);
    expect((await cells.south.pool.query('select id from ledger')).rows).toEqual([]);
    expect(await weeksOf(cells.north)).toEqual([present.week_end]);
    old.kill();

    expect(await askForCell(question)).toEqual({ kind: 'moved', url: addressOf('south') });
    const phone = await openSignedUp(ports.south, '1001', disk);
    const of = await until(phone.app.route(next), (route) => route !== undefined);
    expect(of?.key).toEqual(next);
    const fresh = phone.app.updateStop(next, { id: 1, updates: delivered('in the new cell') });
    await allOnHost(phone.app, [fresh.id]);
    expect(await resultsOn(1)).toEqual([
      { week: present.week_end, words: 'in time' },
      { week: next.week_end, words: 'in the new cell' },
    ]);
    const { rows } = await cells.south.pool.query<{ n: number }>('select count(*)::int as n from ledger');
    expect(rows).toEqual([{ n: 1 }]);
  });
});
