import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { migrate } from '../../server/src/db/migrate.ts';
import { atFileEnd } from './file-end.ts';
import type { TestDatabase } from './postgres.ts';
import { recordedLog } from './recorded-log.ts';

const secret = 'of-a-test';
const script = join(import.meta.dirname, '../../server/deploy/roles.sql');

/** A cell in a database: its schema, its migrated tables, and the address of its servers' role. */
export interface Cell {
  readonly name: string;
  readonly url: string;
  readonly pool: pg.Pool;
}

/** Makes cells as docs/scaling.md describes it, by server/deploy/roles.sql. Their names are unique, as roles are. */
export async function makeCells(database: TestDatabase, names: readonly string[]): Promise<Cell[]> {
  const unique = randomBytes(3).toString('hex');
  const cells = names.map((name) => `${name}_${unique}`);
  const roles = cells.flatMap((cell) => [`tailgate_app_${cell}`, `tailgate_owner_${cell}`]);
  // Hooks run in reverse order: the database is gone before its roles.
  atFileEnd(async () => {
    const admin = new pg.Client({ connectionString: inject('postgresUrl') });
    await admin.connect();
    try {
      await database.drop();
      for (const role of roles) await admin.query(`drop role if exists ${role}`);
    } finally {
      await admin.end();
    }
  });
  const text = await readFile(script, 'utf8');
  const made: Cell[] = [];
  for (const name of cells) {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    try {
      await admin.query(`set tailgate.cell = '${name}'; ${text}`);
      for (const role of roles.filter((one) => one.endsWith(name)))
        await admin.query(`alter role ${role} password '${secret}'`);
    } finally {
      await admin.end();
    }
    const urlOf = (role: string) => {
      const url = new URL(database.url);
      [url.username, url.password] = [`${role}_${name}`, secret];
      return url.href;
    };
    await migrate(urlOf('tailgate_owner'), recordedLog());
    const pool = new pg.Pool({ connectionString: urlOf('tailgate_app'), max: 2 });
    atFileEnd(() => pool.end());
    made.push({ name, url: urlOf('tailgate_app'), pool });
  }
  return made;
}
