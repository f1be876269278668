import { EventEmitter, once } from 'node:events';
import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool } from '../../server/src/db/pool.ts';
import { inTwoTrips, sending, withTransaction } from '../../server/src/db/transaction.ts';
import type { Connection, Db, Statement, Tx } from '../../server/src/db/types.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase({ empty: true });
  await database.pool.query('create table note (text text unique)');
});

beforeEach(async () => {
  await database.pool.query('truncate note');
});

async function notes(): Promise<string[]> {
  const { rows } = await database.pool.query<{ text: string }>('select text from note order by text');
  return rows.map(({ text }) => text);
}

describe('a transaction', () => {
  test('saves everything and returns the result', async () => {
    const result = await withTransaction(database.pool, async (tx) => {
      await tx.query('insert into note values ($1), ($2)', ['a', 'b']);
      return 'done';
    });
    expect(result).toBe('done');
    expect(await notes()).toEqual(['a', 'b']);
  });

  test('saves nothing where the work throws, and passes the error on', async () => {
    const work = withTransaction(database.pool, async (tx) => {
      await tx.query(`insert into note values ('a')`);
      throw new Error('out of diesel');
    });
    await expect(work).rejects.toThrow('out of diesel');
    expect(await notes()).toEqual([]);
    expect(database.pool.idleCount).toBe(database.pool.totalCount);
  });

  test('fails where an error inside was swallowed', async () => {
    const work = withTransaction(database.pool, async (tx) => {
      await tx.query(`insert into note values ('a')`);
      await tx.query(`insert into note values ('a')`).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('nothing was saved');
    expect(await notes()).toEqual([]);
  });

  test('closes a broken connection, and the pool recovers automatically', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    const log = recordedLog();
    const pool = createPool({ url: proxy.through(database.url), name: 'through the proxy', log, size: 1 });
    try {
      const work = withTransaction(pool, async (tx) => {
        await tx.query(`insert into note values ('a')`);
        proxy.cut();
        await tx.query(`insert into note values ('b')`);
      });
      await expect(work).rejects.toThrow(/Connection terminated|ECONNRESET/);
      expect(pool.totalCount).toBe(0);
      await withTransaction(pool, (tx) => tx.query(`insert into note values ('c')`));
      expect(await notes()).toEqual(['c']);
      // A broken idle connection is reported, and does not end the process.
      proxy.cut();
      await expect.poll(() => log.lines.map(({ message }) => message)).toContain('an idle database connection broke');
      await pool.query('select 1');
    } finally {
      await pool.end();
    }
  });

  test('a closed pool recommends no server version', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    const log = recordedLog();
    const pool = createPool({ url: proxy.through(database.url), name: 'closing', log, size: 1 });
    await pool.query('select 1');
    const closed = new Promise((gone) => pool.once('remove', gone));
    proxy.bufferUp();
    await Promise.all([pool.end(), proxy.untilBufferedUp()]);
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = $1`,
      ['closing'],
    );
    await closed;
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});

describe('a transaction in two trips', () => {
  let pool: pg.Pool;
  /** The messages of the connection under test: `>` for a statement, `<` for its answer. */
  let traffic: string[];
  let db: Db;

  beforeAll(() => {
    pool = createPool({ url: database.url, name: 'pipelined', log: recordedLog(), size: 1, pipelined: true });
    db = {
      query: (statement, values) => pool.query(statement, values),
      connect: async () => listened(await pool.connect()),
    };
    return () => pool.end();
  });

  beforeEach(() => {
    traffic = [];
  });

  function listened(connection: Connection): Connection {
    return {
      async query<Row extends pg.QueryResultRow>(statement: Statement, values?: unknown[]) {
        const text = typeof statement === 'string' ? statement : statement.text;
        const word = text.split(/[ ;]/)[0] ?? '';
        traffic.push(`> ${word}`);
        try {
          return await connection.query<Row>(statement, values);
        } finally {
          traffic.push(`< ${word}`);
        }
      },
      release: (destroy) => connection.release(destroy),
    };
  }

  const insert = (tx: Tx, text: string) => tx.query('insert into note values ($1)', [text]);
  const load = async (tx: Tx): Promise<number> => (await tx.query('select 1')).rows.length;
  const now = Promise.resolve();

  test("discards plans at a connection's 1st, 2nd, 4th, 8th and 16th transaction, and at no other", async () => {
    const connection = await pool.connect();
    const begun: string[] = [];
    const same: Connection = {
      query(statement: Statement, values?: unknown[]) {
        const text = typeof statement === 'string' ? statement : statement.text;
        if (text.startsWith('begin')) begun.push(text);
        return connection.query(statement, values);
      },
      release: () => undefined,
    };
    const work = (tx: Tx) => ({ sent: now, result: tx.query('select 1') });
    for (let n = 1; n <= 17; n++) await inTwoTrips({ ...db, connect: async () => same }, load, work);
    connection.release();
    const discarding = begun.flatMap((text, index) => (text.includes('discard plans') ? [index + 1] : []));
    expect(discarding).toEqual([1, 2, 4, 8, 16]);
    expect(begun).toHaveLength(17);
  });

  test('uses generic plans, or leaves the choice to PostgreSQL where each statement is planned with its values', async () => {
    const seen: unknown[] = [];
    const readMode = async (tx: Tx) => seen.push(...(await tx.query('show plan_cache_mode')).rows);
    for (const plans of ['once', 'auto'] as const)
      await inTwoTrips({ ...db, plans }, readMode, (tx) => ({ sent: now, result: tx.query('select 1') }));
    expect(seen).toEqual([{ plan_cache_mode: 'force_generic_plan' }, { plan_cache_mode: 'auto' }]);
  });

  test('waits twice: for its loads, and for the commit', async () => {
    const saved = inTwoTrips(db, load, (tx, count) => ({ sent: now, result: insert(tx, `loaded ${count}`) }));
    expect((await saved).rowCount).toBe(1);
    expect(traffic).toEqual([
      '> begin',
      '> select',
      '< begin',
      '< select',
      '> insert',
      '> commit',
      '< insert',
      '< commit',
    ]);
    expect(await notes()).toEqual(['loaded 1']);
  });

  test('commits after its late statements', async () => {
    const jobs = new EventEmitter();
    const saved = inTwoTrips(db, load, (tx) =>
      sending(tx, async (one) => {
        await once(jobs, 'ready');
        await insert(one, 'late');
      }),
    );
    await expect.poll(() => jobs.listenerCount('ready')).toBe(1);
    jobs.emit('ready');
    await saved;
    expect(traffic.slice(-4)).toEqual(['> insert', '> commit', '< insert', '< commit']);
    expect(await notes()).toEqual(['late']);
  });

  test('saves nothing where PostgreSQL refuses one statement, and passes its error on', async () => {
    const saved = inTwoTrips(db, load, (tx) => ({
      sent: now,
      result: Promise.all([insert(tx, 'a'), insert(tx, 'a'), insert(tx, 'b')]),
    }));
    await expect(saved).rejects.toThrow('duplicate key');
    expect(await notes()).toEqual([]);
    await inTwoTrips(db, load, (tx) => ({ sent: now, result: insert(tx, 'the connection is whole') }));
    expect(await notes()).toEqual(['the connection is whole']);
  });

  test('saves nothing where loading fails, or a job cannot be sent', async () => {
    const failing = inTwoTrips(
      db,
      (tx) => tx.query('select nothing from nowhere'),
      (tx) => ({ sent: now, result: insert(tx, 'a') }),
    );
    await expect(failing).rejects.toThrow('nowhere');
    const jobless = inTwoTrips(db, load, (tx) => {
      const job = sending(tx, () => Promise.reject(new Error('no such queue')));
      return { sent: job.sent, result: Promise.all([insert(tx, 'b'), job.result]) };
    });
    await expect(jobless).rejects.toThrow('no such queue');
    expect(await notes()).toEqual([]);
  });
});

describe('values that the pool reads', () => {
  test('large integers are numbers, dates are text as written, instants are dates', async () => {
    const { rows } = await database.pool.query(`
      select 9007199254740991::int8 as large, date '2026-11-21' as day, timestamp '2026-11-21 08:00' as local,
             timestamptz '2026-11-21 08:00+01' as instant, 1.50::numeric as amount`);
    expect(rows).toEqual([
      {
        large: Number.MAX_SAFE_INTEGER,
        day: '2026-11-21',
        local: '2026-11-21 08:00:00',
        instant: new Date('2026-11-21T07:00:00Z'),
        amount: '1.50',
      },
    ]);
  });

  test('an integer beyond the exact range of a number is an error', async () => {
    await expect(database.pool.query('select 9007199254740993::int8 as large')).rejects.toThrow(
      'integer 9007199254740993 is too large for a number',
    );
    await database.pool.query('select 1');
  });
});
