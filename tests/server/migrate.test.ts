import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrate, migrationsFolder, readMigrations } from '../../server/src/db/migrate.ts';
import { createDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql);
  return folder;
}

const first = { '0001_create_van.sql': 'create table van (id int primary key);' };
const second = { '0002_add_plate.sql': 'alter table van add plate text;\nalter table van add seats int;' };

describe('migrations', () => {
  test('are applied in order, once each', async () => {
    const { url, pool } = await createDatabase({ empty: true });
    const folder = await folderWith(first);
    expect(await migrate(url, recordedLog(), folder)).toEqual(['0001_create_van.sql']);
    await writeFile(join(folder, '0002_add_plate.sql'), second['0002_add_plate.sql']);
    expect(await migrate(url, recordedLog(), folder)).toEqual(['0002_add_plate.sql']);
    expect(await migrate(url, recordedLog(), folder)).toEqual([]);
    await pool.query(`insert into van values (1, 'TG 1', 2)`);
  });

  test('run on one server at a time where several start together', async () => {
    const { url } = await createDatabase({ empty: true });
    const folder = await folderWith({ ...first, ...second });
    const applied = await Promise.all([1, 2, 3].map(() => migrate(url, recordedLog(), folder)));
    expect(applied.flat()).toEqual(['0001_create_van.sql', '0002_add_plate.sql']);
  });

  test('that fail are rolled back and named; those before them remain applied', async () => {
    const { url, pool } = await createDatabase({ empty: true });
    const folder = await folderWith({
      ...first,
      '0002_add_plate.sql': `${second['0002_add_plate.sql']}\nselect 1 / 0;`,
    });
    await expect(migrate(url, recordedLog(), folder)).rejects.toThrow(
      'migration 0002_add_plate.sql failed and was rolled back: division by zero',
    );
    await writeFile(join(folder, '0002_add_plate.sql'), second['0002_add_plate.sql']);
    expect(await migrate(url, recordedLog(), folder)).toEqual(['0002_add_plate.sql']);
    await pool.query('select plate, seats from van');
  });

  test('that wait behind a long transaction hold up nobody else for long, and go on when it ends', async () => {
    const { url, pool } = await createDatabase({ empty: true });
    const folder = await folderWith(first);
    await migrate(url, recordedLog(), folder);
    await writeFile(join(folder, '0002_add_plate.sql'), second['0002_add_plate.sql']);
    const reader = await pool.connect();
    const log = recordedLog();
    try {
      await reader.query('begin');
      await reader.query('select from van');
      const migrating = migrate(url, log, folder);
      await expect.poll(() => log.lines).toMatchObject([{ fields: { migration: '0002_add_plate.sql' } }]);
      await pool.query('select from van');
      await reader.query('commit');
      expect(await migrating).toEqual(['0002_add_plate.sql']);
    } finally {
      reader.release();
    }
  });

  test('that were changed after they were applied stop the start; other line ends are no change', async () => {
    const { url } = await createDatabase({ empty: true });
    const folder = await folderWith({ ...first, ...second });
    await migrate(url, recordedLog(), folder);
    await writeFile(join(folder, '0002_add_plate.sql'), second['0002_add_plate.sql'].replaceAll('\n', '\r\n'));
    expect(await migrate(url, recordedLog(), folder)).toEqual([]);
    await appendFile(join(folder, '0001_create_van.sql'), '-- better');
    await expect(migrate(url, recordedLog(), folder)).rejects.toThrow(
      /^migration 0001_create_van\.sql differs .* released migrations never change/,
    );
  });

  test('of a later version than this one are accepted with a warning', async () => {
    const { url } = await createDatabase({ empty: true });
    const folder = await folderWith({ ...first, ...second });
    await migrate(url, recordedLog(), folder);
    await rm(join(folder, '0002_add_plate.sql'));
    const log = recordedLog();
    expect(await migrate(url, log, folder)).toEqual([]);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        fields: { migration: '0002_add_plate.sql' },
        message: 'the database is newer than this version of the server',
      },
    ]);
  });

  test('with a reserved number that come after a later one are applied all the same', async () => {
    const { url, pool } = await createDatabase({ empty: true });
    const folder = await folderWith({ ...first, '0003_add_seats.sql': 'alter table van add seats int;' });
    expect(await migrate(url, recordedLog(), folder)).toEqual(['0001_create_van.sql', '0003_add_seats.sql']);
    await writeFile(join(folder, '0002_add_plate.sql'), 'alter table van add plate text;');
    expect(await migrate(url, recordedLog(), folder)).toEqual(['0002_add_plate.sql']);
    await pool.query('select plate, seats from van');
  });

  test('with a repeated number or another name pattern are refused', async () => {
    const twice = await folderWith({ ...first, '0001_add_plate.sql': '' });
    await expect(readMigrations(twice)).rejects.toThrow(
      'migration 0001_create_van.sql should be named 0002_verb_object.sql',
    );
    await expect(readMigrations(await folderWith({ 'plate.sql': '' }))).rejects.toThrow('0001_verb_object.sql');
  });

  test('of all releases fit an empty database', async () => {
    const { url } = await createDatabase({ empty: true });
    const released = await readMigrations(migrationsFolder);
    expect(await migrate(url, recordedLog())).toEqual(released.map(({ name }) => name));
  });
});
