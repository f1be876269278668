import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { mapOfCell } from '../../server/src/host/files/triggers.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import type { Host } from '../../server/src/host/host.ts';
import { makeCells, type Cell } from '../support/cells.ts';
import { atFileEnd } from '../support/file-end.ts';
import { password } from '../support/people.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { copyMaster, copyRoute } from '../support/second-depot.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { allOnHost, openDevice, openSignedUp, until, type Device } from '../system/device.ts';
import { demoRoute } from '../system/service.ts';

// Two cells in one PostgreSQL, which share one library of the host; each has two processes that serve.

const delivered = { status: 'D', end_delivery_time: '2026-11-20T16:05:00.000Z' } as const;
const north = demoRoute('R100');
const south = { ...north, facility: 'F02', id: 'S100' };

let library: TestDatabase;
let clerk: Host;
let cells: { readonly north: Cell; readonly south: Cell };
let nodes: { readonly north: readonly ServerProcess[]; readonly south: readonly ServerProcess[] };
let settings: { readonly north: Record<string, string>; readonly south: Record<string, string> };
let phones: { readonly north: Device; readonly south: Device };
/** Notifications on the channels of both cells. */
const heard: string[] = [];

const only = <Item>(items: readonly Item[], n: number): Item => {
  const item = items[n];
  if (item === undefined) throw new Error(`there are ${items.length}`);
  return item;
};

beforeAll(async () => {
  library = await createDatabase({ empty: true });
  const database = await createDatabase({ empty: true });
  const [one, other] = await makeCells(database, ['north', 'south']);
  if (!one || !other) throw new Error('two cells were made');
  cells = { north: one, south: other };
  const listener = new pg.Client({ connectionString: database.url });
  await listener.connect();
  atFileEnd(() => listener.end());
  listener.on('notification', ({ channel }) => heard.push(channel));
  for (const { name } of [one, other])
    for (const channel of ['routes', 'assignments', 'sessions'])
      await listener.query(`listen tailgate_${channel}_${name}`);
  const env = async ({ name, url }: Cell, facility: string, demo: string) => ({
    DATABASE_URL: url,
    CELL: name,
    FACILITIES: facility,
    LEGACY_URL: library.url,
    DATA_DIR: await temporaryFolder(),
    HOST_POLL_SECONDS: '1',
    OPS_TOKEN: 'operators-only-4711',
    DEMO: demo,
  });
  settings = { north: await env(one, 'F01', '1'), south: await env(other, 'F02', '0') };
  const first = await startServer(settings.north);
  clerk = await openStandIn({ url: library.url, library: 'PODDTA', log: recordedLog(), program: 'CLERK' });
  atFileEnd(() => clerk.close());
  await copyToSouth();
  const [second, third, fourth] = [
    await startServer(settings.north, ['--role', 'api']),
    await startServer(settings.south),
    await startServer(settings.south, ['--role', 'api']),
  ];
  nodes = { north: [first, second], south: [third, fourth] };
  phones = {
    north: await openSignedUp(only(nodes.north, 0).port, '1001'),
    south: await openSignedUp(only(nodes.south, 0).port, '2001'),
  };
});

/** A second depot: a route and a driver of facility F02, as a dispatch program writes them. */
async function copyToSouth(): Promise<void> {
  await copyMaster(library, 'facmstp', `fafac = 'F01'`, { fafac: 'F02', fanam: 'Springfield' });
  await copyMaster(library, 'empmstp', `ememp = '1001'`, { ememp: '2001', emfac: 'F02' });
  await copyRoute(library, { ...north, driver: '1001' }, { ...south, driver: '2001' });
}

const countOf = async (pool: pg.Pool, text: string) => (await pool.query<{ n: number }>(text)).rows[0]?.n;
const linesOf = (cell: Cell) =>
  countOf(library.pool, `select count(*)::int as n from poddta.${mapOfCell(cell.name).table('PODCHGP')}`);

describe('two cells in one PostgreSQL, on one library of the host', () => {
  test('each takes its facility and the masters that it needs, and no other', async () => {
    for (const [cell, facility, driver] of [
      [cells.north, 'F01', '1001'],
      [cells.south, 'F02', '2001'],
    ] as const) {
      const read = async (text: string) => (await cell.pool.query<{ id: string }>(text)).rows.map(({ id }) => id);
      expect(await read('select distinct facility as id from route')).toEqual([facility]);
      expect(await read("select id from facility where name <> ''")).toEqual([facility]);
      expect(await read(`select id from employee where id in ('1001', '2001')`)).toEqual([driver]);
    }
  });

  test('no sign-in crosses', async () => {
    const stranger = await openDevice(only(nodes.south, 1).port);
    expect(await (await stranger.start()).signIn({ employeeId: '1001', password })).not.toMatchObject({
      kind: 'signed_in',
    });
    expect(await countOf(cells.south.pool, `select count(*)::int as n from account where employee = '1001'`)).toBe(0);
  });

  test('changes of both reach the host and the other node of their cell; hints and jobs stay in the cell', async () => {
    const mate = await openSignedUp(only(nodes.north, 1).port, '1002');
    heard.length = 0;
    const one = phones.north.app.updateStop(north, { id: 1, updates: { ...delivered, driver_comments: 'north' } });
    await allOnHost(phones.north.app, [one.id]);
    await until(mate.app.stop(1, north), (stop) => stop?.updates.driver_comments === 'north');
    expect(heard.filter((channel) => channel.endsWith(cells.south.name))).toEqual([]);
    expect(heard.filter((channel) => channel.endsWith(cells.north.name))).not.toEqual([]);
    heard.length = 0;
    const other = phones.south.app.updateStop(south, { id: 1, updates: { ...delivered, driver_comments: 'south' } });
    await allOnHost(phones.south.app, [other.id]);
    expect(heard.filter((channel) => channel.endsWith(cells.north.name))).toEqual([]);
    const rows = await clerk.query(`select RUFAC, RUCMT from PODDTA.RTSTUP where RUSTP = 1 order by RUFAC`);
    expect(rows).toEqual([
      { RUFAC: 'F01', RUCMT: 'north' },
      { RUFAC: 'F02', RUCMT: 'south' },
    ]);
    for (const { name, pool } of [cells.north, cells.south])
      expect(await countOf(pool, `select count(*)::int as n from pgboss_${name}.queue`)).toBeGreaterThan(3);
  });

  test('a cell reads and deletes its own lines of the doorbell: the lines of a stopped one wait for it', async () => {
    const [worker] = nodes.south;
    await worker?.stop();
    for (const [facility, id] of [
      ['F01', 'R100'],
      ['F02', 'S100'],
    ])
      await library.pool.query(`update poddta.rtstpp set rseta = 91700 where rsfac = $1 and rsrte = $2 and rsstp = 1`, [
        facility,
        id,
      ]);
    await expect.poll(() => linesOf(cells.north)).toBe(0);
    expect(await linesOf(cells.south)).toBeGreaterThan(0);
    await worker?.start();
    await expect.poll(() => linesOf(cells.south)).toBe(0);
    const doc = `select count(*)::int as n from stop_plan where stop_id = 1 and eta ~ '^09:?17'`;
    expect([await countOf(cells.north.pool, doc), await countOf(cells.south.pool, doc)]).toEqual([1, 1]);
  });

  test('a worker does not start with a facility of the other cell', async () => {
    await expect(startServer({ ...settings.south, FACILITIES: 'F01,F02' })).rejects.toThrow(
      `FACILITIES: facility F01 of library PODDTA: cell ${cells.north.name} takes it, too`,
    );
    await expect(startServer({ ...settings.south, FACILITIES: '' })).rejects.toThrow(/this cell has no FACILITIES/);
  });

  test('a server of another cell than its role does not start', async () => {
    await expect(startServer({ ...settings.south, CELL: cells.north.name })).rejects.toThrow(
      /CELL: this server belongs to/,
    );
    await expect(startServer({ ...settings.south, CELL: '' })).rejects.toThrow(
      /CELL: this server belongs to cell public/,
    );
  });
});
