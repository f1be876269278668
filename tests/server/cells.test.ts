import { beforeAll, describe, expect, test } from 'vitest';
import { checkCell, jobsSchema } from '../../server/src/db/cell.ts';
import { startListener } from '../../server/src/db/listen.ts';
import { notifyRoutes, routesChannel } from '../../server/src/db/notify-sql.ts';
import { claimFacilities } from '../../server/src/replication/from-host/facility-claims.ts';
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

  test.each([
    'delete from log',
    'delete from log_leaf',
    `update log_leaf set entry = ''`,
    'delete from log_key',
    `update log_key set key = ''`,
    'delete from log_tile',
    'delete from legal_hold',
  ])('their servers can rewrite no log and delete no hold: %s', async (statement) => {
    await expect(north.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
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

  describe('on one library of the host', () => {
    const host = 'postgres://clerk:secret@db.example.com/erp';
    /** A worker of a cell, which takes these facilities; it ends with the returned function. */
    const takes = async ({ url, pool }: Cell, ids: readonly string[] | undefined, at = host) => {
      const listener = await startListener({ url, log: recordedLog() });
      atFileEnd(() => listener.stop());
      const facilities = ids && new Map(ids.map((id) => [id, '']));
      await claimFacilities({ db: pool, listener, facilities, host: at, library: 'PODDTA' }).catch(
        async (error: unknown) => {
          await listener.stop();
          throw error;
        },
      );
      return () => listener.stop();
    };

    test('a facility that the other takes is refused, until its workers end', async () => {
      const first = await takes(north, ['F01', 'F02']);
      const second = await takes(north, ['F01', 'F02']);
      const third = await takes(south, ['F03']);
      await third();
      await first();
      await expect(takes(south, ['F03', 'F02'])).rejects.toThrow(
        new RegExp(
          `^FACILITIES: facility F02 of library PODDTA: cell ${north.name} takes it, too; .*pg_terminate_backend`,
        ),
      );
      await second();
      await (
        await takes(south, ['F03', 'F02'])
      )();
    });

    test('a cell without FACILITIES takes all of them, and stands alone on its library', async () => {
      const one = await takes(north, ['F01']);
      await expect(takes(south, undefined)).rejects.toThrow(
        `cell ${north.name} takes some of them, and this cell has no`,
      );
      await one();
      const all = await takes(north, undefined);
      await expect(takes(south, ['F09'])).rejects.toThrow(`cell ${north.name} has no FACILITIES and takes all of them`);
      await expect(takes(south, undefined)).rejects.toThrow('FACILITIES: facilities of library PODDTA');
      const elsewhere = await takes(south, undefined, 'postgres://clerk:secret@other.example.com/erp');
      await Promise.all([all(), elsewhere()]);
    });

    test('a claim outlives a lost session, and the address of the host may have another user', async () => {
      const one = await takes(north, ['F01']);
      const ended = await north.pool.query<{ ended: boolean }>(
        `select pg_terminate_backend(pid) as ended from pg_stat_activity
         where application_name = 'tailgate listen_' || current_schema()`,
      );
      expect(ended.rows).toContainEqual({ ended: true });
      await expect
        .poll(() => takes(south, ['F01'], 'postgres://other:user@DB.example.com/erp').then(() => 'taken', String))
        .toContain('facility F01');
      await one();
    });
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
