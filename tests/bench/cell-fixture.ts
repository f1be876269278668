import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../server/src/db/migrate.ts';
import { createPool } from '../../server/src/db/pool.ts';
import { startChild, type Child } from './child.ts';
import { openDeps, quietLog, type BenchDatabase, type Deps } from './fixture.ts';
import { makeFleet, type Phone } from './fleet.ts';

/** A cell: its schema, its serving process, and the drivers of its routes, without queues. */
export interface Cell {
  readonly deps: Deps;
  readonly database: BenchDatabase;
  readonly child: Child;
  readonly drivers: readonly Phone[];
  /** Open connections of its process. */
  connections(): Promise<number>;
}

export interface Cells {
  /** All in one PostgreSQL. */
  readonly together: readonly Cell[];
  /** In a PostgreSQL each; the first one is that of `together`. */
  readonly apart: readonly Cell[];
  close(): Promise<void>;
}

export const STOPS = 20;
const secret = 'of-a-bench';

/** @param sizes drivers of each cell */
export async function openCells(sizes: readonly number[]): Promise<Cells> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let last = closers.pop(); last; last = closers.pop()) await last();
  };
  const openIn = async (all: readonly number[]): Promise<Cell[]> => {
    const deps = await openDeps();
    closers.push(() => deps.close());
    const database = await deps.database('cells');
    const cells: Cell[] = [];
    for (const [n, drivers] of all.entries()) {
      const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
      closers.push(() => rm(dataDir, { recursive: true, force: true }));
      const cell = await openCell(deps, database, { role: `cell_${n}`, drivers, dataDir });
      closers.push(() => cell.child.stop());
      cells.push(cell);
    }
    return cells;
  };
  try {
    const together = await openIn(sizes);
    const apart = together.slice(0, 1);
    for (const size of sizes.slice(1)) apart.push(...(await openIn([size])));
    return { together, apart, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openCell(
  deps: Deps,
  database: BenchDatabase,
  { role, drivers: phones, dataDir }: { role: string; drivers: number; dataDir: string },
): Promise<Cell> {
  await database.pool.query(`create role ${role} login superuser password '${secret}'`);
  await database.pool.query(`alter role ${role} set search_path = ${role}`);
  await database.pool.query(`create schema ${role}`);
  const url = new URL(database.url);
  [url.username, url.password] = [role, secret];
  await migrate(url.href, quietLog);
  const pool = createPool({ url: url.href, name: 'bench', log: quietLog, size: 2, pipelined: true });
  const drivers = await makeFleet(pool, { phones, mutations: 0, stops: STOPS, lines: 20 });
  await pool.end();
  const env = { DATABASE_URL: url.href, CELL: role, DATA_DIR: dataDir, LOG_LEVEL: 'warn', DEMO: '0' };
  const child = await startChild('../../server/src/main.ts', env, /^Tailgate is ready\b/m, ['--role', 'api']);
  const connections = async (): Promise<number> => {
    const { rows } = await database.pool.query<{ n: number }>(
      'select count(*)::int as n from pg_stat_activity where usename = $1',
      [role],
    );
    return rows[0]?.n ?? Number.NaN;
  };
  return { deps, database, child, drivers, connections };
}
