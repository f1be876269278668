import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { openEmbedded } from '../../server/src/embedded-postgres/embedded.ts';
import { createPool } from '../../server/src/db/pool.ts';
import type { Log } from '../../server/src/runtime/log.ts';
import { stopPostgresAtExit, deferSignals } from '../support/process-exit.ts';

/** Logs only errors. */
export const quietLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields, message) => console.error('warn', message, fields),
  error: (fields, message) => console.error('error', message, fields),
};

/** A durable PostgreSQL (fsync on) with databases for the measurements. */
export interface Deps {
  /** A new database: empty, or a copy of another one, whose pools must be closed. */
  database(name: string, template?: string): Promise<BenchDatabase>;
  /** CPU seconds that all PostgreSQL processes of this machine have used so far; Linux only, else NaN. */
  readonly postgresCpu: () => number;
  close(): Promise<void>;
}

export interface BenchDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Ends the database's pool. Afterwards it can be copied. */
  close(): Promise<void>;
  /** Deletes the database. */
  drop(): Promise<void>;
}

export async function openDeps(): Promise<Deps> {
  const { dataDir, embedded, admin, postmaster, closed } = await deferSignals(openPostgres);
  const pools = new Set([admin]);
  return {
    async database(name, template = 'template1') {
      await admin.query(`create database ${name} template ${template} strategy file_copy`);
      const url = embedded.url.replace(/\/[^/?]+(\?|$)/, `/${name}$1`);
      const pool = createPool({ url, name: 'bench', log: quietLog, size: 4, pipelined: true });
      pools.add(pool);
      const close = async (): Promise<void> => {
        pools.delete(pool);
        await pool.end();
        // The pool resolves when it has sent its goodbye, before PostgreSQL has closed the sessions.
        for (let open = 1; open > 0;) {
          const { rows: left } = await admin.query<{ n: number }>(
            'select count(*) as n from pg_stat_activity where datname = $1',
            [name],
          );
          open = left[0]?.n ?? 0;
        }
      };
      const drop = async (): Promise<void> => {
        await close();
        await admin.query(`drop database ${name} with (force)`);
      };
      return { url, pool, close, drop };
    },
    postgresCpu: () => familyCpu(postmaster),
    async close() {
      try {
        for (const pool of pools) await pool.end();
      } finally {
        await embedded.stop();
        closed();
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  };
}

async function openPostgres() {
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  try {
    const embedded = await openEmbedded(dataDir, { log: quietLog, name: 'bench' });
    const admin = createPool({ url: embedded.url, name: 'bench admin', log: quietLog, size: 1 });
    const { rows } = await admin.query<{ pid: number }>(
      `select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid`,
    );
    const postmaster = rows[0]?.pid ?? Number.NaN;
    return { dataDir, embedded, admin, postmaster, closed: stopPostgresAtExit(postmaster, dataDir) };
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

/** The kernel counts in hundredths of a second on every Linux that Node supports. */
const TICK_S = 0.01;

interface ProcessTimes {
  readonly parent: number;
  /** Own time, and that of ended children. */
  readonly seconds: number;
}

function processTimes(pid: string | number): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, seconds: (utime + stime + cutime + cstime) * TICK_S };
  } catch {
    return undefined; // the process has ended, or the system is not Linux
  }
}

function familyCpu(postmaster: number): number {
  const own = processTimes(postmaster);
  if (!own) return Number.NaN;
  const children = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processTimes(name) ?? []) : []));
  return (
    own.seconds + children.filter(({ parent }) => parent === postmaster).reduce((sum, { seconds }) => sum + seconds, 0)
  );
}

/** CPU seconds of one process, with all threads. */
export const processCpu = (pid: number | undefined): number =>
  pid === undefined ? Number.NaN : (processTimes(pid)?.seconds ?? Number.NaN);

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value at the quantile `q`. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(q * sorted.length), sorted.length - 1)] ?? Number.NaN;
}

export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();
