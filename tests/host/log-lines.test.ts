import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { LogRetention } from '../../server/src/replication/to-host/log-retention.ts';
import { openDepot } from '../support/depot.ts';
import { atFileEnd } from '../support/file-end.ts';

// PODRPLP for its readers: who wrote, and which value was replaced by which; and its retention.

const depot = await openDepot();
const worker = depot.worker({ random: () => 0.01 });
await worker.start();

const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z', store_emp_name: 'Ana' } as const;

/**
 * The lines of a route by their writes: key behind the route, column, values, author. Those of one write are sorted: the host
 * numbers them in any order.
 */
async function linesOf(route: string): Promise<string[]> {
  const { rows } = await depot.database.pool.query<{ line: string }>(
    `select line from (
       select RLSEQ, concat_ws(' | ', trim(RLENT || ' ' || substr(RLKEY, length($1) + 15)), trim(RLCOL), trim(RLOLD), trim(RLNEW),
                               trim(RLWHO || ' ' || RLUSR)) as line
       from PODDTA.PODRPLP where RLKEY like 'F01 ' || $1 || ' 20261128%') as written
     order by RLSEQ, line collate "C"`,
    [route],
  );
  return rows.map(({ line }) => line);
}

test('the first write of a stop has one line: its status and its driver', async () => {
  const key = await depot.addRoute('FIRST', [1]);
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  expect(await linesOf('FIRST')).toEqual(['RTSTUP 1 | RUSTS |  | D | D 1001']);
});

test('a correction has the stop’s line and one for each replaced value', async () => {
  const key = await depot.addRoute('AGAIN', [1]);
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  await depot.record(key, { id: 1, updates: { store_emp_name: 'Bea', driver_comments: 'late' } });
  await depot.untilHosted(key);
  expect((await linesOf('AGAIN')).slice(1)).toEqual([
    'RTSTUP 1 |  |  |  | D 1001',
    'RTSTUP 1 | RUSNAM | Ana | Bea | D 1001',
  ]);
});

test('a clerk’s edit has a line with user and time, behind the write that follows it', async () => {
  const key = await depot.addRoute('CLERK', [1]);
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  depot.clock.now = new Date('2026-11-21T16:01:00.000Z');
  await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Cora', RUUUSR = 'MIA' where RURTE = 'CLERK'`);
  await depot.importNow();
  await depot.untilHosted(key);
  depot.clock.now = new Date('2026-11-21T16:02:00.000Z');
  await depot.record(key, { id: 1, updates: { store_emp_name: 'Dora' } });
  await depot.untilHosted(key);
  const lines = await linesOf('CLERK');
  expect(lines[2]).toMatch(/^RTSTUP 1 \| RUSNAM \| Ana \| Cora \| C \S+/);
  const clerk = lines[2]?.split(' ').at(-1);
  expect(lines[1]).toBe(`RTSTUP 1 |  |  |  | C ${clerk}`);
  expect(lines.slice(3)).toEqual(['RTSTUP 1 |  |  |  | D 1001', 'RTSTUP 1 | RUSNAM | Cora | Dora | D 1001']);
});

test('where a later record of the driver overrules a clerk, the log has both', async () => {
  const key = await depot.addRoute('LATER', [1]);
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  // By the server's clock, the edit is older than the record.
  depot.clock.now = new Date('2026-11-21T15:00:00.000Z');
  await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Cora' where RURTE = 'LATER'`);
  await depot.importNow();
  await depot.untilHosted(key);
  expect((await linesOf('LATER')).slice(1)).toEqual([
    'RTSTUP 1 |  |  |  | ',
    expect.stringMatching(/^RTSTUP 1 \| RUSNAM \| Ana \| Cora \| C \S+$/),
    'RTSTUP 1 | RUSNAM | Cora | Ana | D 1001',
  ]);
  depot.clock.now = new Date('2026-11-21T16:03:00.000Z');
});

test('a route that a clerk closes has a line with the user', async () => {
  const key = await depot.addRoute('CLOSE', [1]);
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  await depot.clerk(`update PODDTA.RTHDRP set RHPODS = 'C', RHUUSR = 'MIA' where RHRTE = 'CLOSE'`);
  await depot.importNow();
  await depot.record(key, { id: 1, updates: { driver_comments: 'after it' } });
  await depot.untilHosted(key);
  expect(await linesOf('CLOSE')).toContainEqual(expect.stringMatching(/^RTHDRP \| RHPODS \|  \| C \| C \S+$/));
});

test('retention deletes old lines in parts, the oldest first, and no young one', async () => {
  const { pool } = depot.database;
  await pool.query(
    `insert into PODDTA.PODRPLP (RLTRC, RLSEQ, RLDAT) select 'OLD' || n, n, 20250101 from generate_series(1, 1200) n`,
  );
  await pool.query(`update PODDTA.PODRPLP set RLDAT = 20250101 where RLTRC = 'OLD1'`);
  const count = async () =>
    (
      await pool.query<{ old: number; all: number }>(
        `select count(*) filter (where RLTRC like 'OLD%')::int as old, count(*)::int as all from PODDTA.PODRPLP`,
      )
    ).rows[0];
  const young = ((await count())?.all ?? 0) - 1200;
  const leases = new Leases({ db: pool, owner: randomUUID() });
  atFileEnd(() => leases.close());
  let isHeld = true;
  const options = { host: depot.host, leases, days: 400, clock: () => new Date(), log: depot.log };
  const retention = new LogRetention({ ...options, mayWrite: () => !isHeld });
  await retention.sweep();
  expect(await count()).toMatchObject({ old: 1200 });

  // The lines of today have lower numbers than these: the first ones of the file must be the oldest.
  await pool.query(`update PODDTA.PODRPLP set RLSTS = 'A' where RLTRC not like 'OLD%'`);
  isHeld = false;
  await retention.sweep();
  expect(await count()).toEqual({ old: 0, all: young });
});

test('retention ends at a day that is not yet old, however many lines it has', async () => {
  await depot.database.pool.query(
    `insert into PODDTA.PODRPLP (RLTRC, RLSEQ, RLDAT) select 'DAY' || n, n, 20260101 from generate_series(1, 600) n`,
  );
  const leases = new Leases({ db: depot.database.pool, owner: randomUUID() });
  atFileEnd(() => leases.close());
  let asked = 0;
  const mayWrite = () => ++asked < 10;
  const clock = () => new Date('2026-01-02T12:00:00.000Z');
  await new LogRetention({ host: depot.host, leases, mayWrite, days: 1, clock, log: depot.log }).sweep();
  // Once for the run and once for its first lines.
  expect(asked).toBe(2);
});
