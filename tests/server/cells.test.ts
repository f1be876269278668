import { beforeAll, describe, expect, test } from 'vitest';
import { checkCell, jobsSchema } from '../../server/src/db/cell.ts';
import { startListener } from '../../server/src/db/listen.ts';
import { notifyRoutes, routesChannel } from '../../server/src/db/notify-sql.ts';
import { takeImporterLock } from '../../server/src/replication/from-host/import-sql.ts';
import { makeCells, type Cell } from '../support/cells.ts';
import { atFileEnd } from '../support/file-end.ts';
import { createDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';

// Two cells in one PostgreSQL, made by server/deploy/roles.sql (docs/scaling.md).

let north: Cell;
let south: Cell;

beforeAll(async () => {
  const [one, other] = await makeCells(await createDatabase({ empty: true }), ['north', 'south']);
  if (!one || !other) throw new Error('two cells were made');
  [north, south] = [one, other];
});

describe('two cells in one PostgreSQL', () => {
  test('have tables and jobs of their own', async () => {
    await north.pool.query(`insert into facility (id, name, zone) values ('F01', 'Depot', 'America/Chicago')`);
    expect((await south.pool.query('select id from facility')).rows).toEqual([]);
    for (const { name, pool } of [north, south]) {
      await pool.query(`create table ${jobsSchema(name)}.mine (id int)`);
      await expect(pool.query('create table mine (id int)')).rejects.toThrow('permission denied');
    }
    await expect(south.pool.query(`select from ${north.name}.facility`)).rejects.toThrow('permission denied');
  });

  test('a server starts in the cell that its role leads to, and in no other', async () => {
    await checkCell(north.pool, north.name);
    await expect(checkCell(north.pool, south.name)).rejects.toThrow(
      `CELL: this server belongs to cell ${south.name}, and role tailgate_app_${north.name} works in schema ${north.name}`,
    );
    await expect(checkCell(north.pool, 'public')).rejects.toThrow('CELL: this server belongs to cell public');
  });

  test('hear no notification of each other', async () => {
    const heard: string[] = [];
    for (const { name, url } of [north, south]) {
      const listener = await startListener({ url, log: recordedLog() });
      atFileEnd(() => listener.stop());
      await listener.onNotify(routesChannel, (payload) => heard.push(`${name}: ${payload}`));
    }
    await north.pool.query(notifyRoutes, ['first']);
    await south.pool.query(notifyRoutes, ['second']);
    await north.pool.query(notifyRoutes, ['third']);
    await expect.poll(() => heard.length).toBe(3);
    expect(heard.toSorted()).toEqual([`${north.name}: first`, `${north.name}: third`, `${south.name}: second`]);
  });

  test('wait for no lock of each other', async () => {
    const taken = async ({ pool }: Cell) => (await pool.query<{ taken: boolean }>(takeImporterLock)).rows[0]?.taken;
    const importing = await north.pool.connect();
    try {
      await importing.query('begin');
      await importing.query(takeImporterLock);
      expect([await taken(north), await taken(south)]).toEqual([false, true]);
    } finally {
      await importing.query('rollback');
      importing.release();
    }
  });
});
