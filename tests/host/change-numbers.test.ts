import { expect, test } from 'vitest';
import { openDepot } from '../support/depot.ts';

// RUCHTS, RUCHSQ, RLCHTS, RLCHSQ: for programs that read the library. The host assigns them, for each writer.

const depot = await openDepot();
const { pool } = depot.database;
const worker = depot.worker({ random: () => 0.01 });
await worker.start();

const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;

/** `at`: seconds since 1970. */
interface Change {
  stop: number;
  number: number;
  at: number;
}
/** Changes with a higher number, as a program reads them. */
async function changesSince(route: string, number: number): Promise<Change[]> {
  const { rows } = await pool.query<Change>(
    `select RUSTP::int as stop, RUCHSQ::int as number, extract(epoch from RUCHTS)::float8 as at from PODDTA.RTSTUP
     where RURTE = $1 and RUCHSQ > $2 order by RUCHSQ`,
    [route, number],
  );
  return rows;
}
const highest = (changes: readonly Change[]): number => Math.max(0, ...changes.map(({ number }) => number));

test('each change of a result has a higher number and a later time, by the service as by a clerk', async () => {
  const key = await depot.addRoute('NUMBERS', [1, 2, 3]);
  for (const id of [1, 2, 3]) await depot.record(key, { id, updates: delivered });
  await depot.untilHosted(key);
  const first = await changesSince('NUMBERS', 0);
  expect(first.map(({ stop }) => stop).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);

  await pool.query(`update PODDTA.RTSTUP set RUSNAM = 'Bea' where RURTE = 'NUMBERS' and RUSTP = 1`);
  const [clerks, ...others] = await changesSince('NUMBERS', highest(first));
  expect(others).toEqual([]);
  expect(clerks).toMatchObject({ stop: 1 });
  expect(clerks?.at).toBeGreaterThan(first.find(({ stop }) => stop === 1)?.at ?? Infinity);

  await depot.record(key, { id: 2, updates: { ...delivered, driver_comments: 'at the gate' } });
  await depot.untilHosted(key);
  const since = await changesSince('NUMBERS', clerks?.number ?? 0);
  expect(since.filter(({ stop }) => stop === 2)).toHaveLength(1);
});

test('the lines of the log have an order', async () => {
  const key = await depot.addRoute('ORDERED', [1]);
  for (const comment of ['first', 'second', 'third']) {
    await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: comment } });
    await depot.untilHosted(key);
  }
  const { rows } = await pool.query<{ sequence: string }>(
    `select RLSEQ as sequence from PODDTA.PODRPLP where RLKEY like '%ORDERED%' and RLCOL <> 'RUCMT' order by RLCHSQ`,
  );
  const sequences = rows.map(({ sequence }) => Number(sequence));
  expect(sequences).toHaveLength(3);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
});

// docs/adopting.md warns of it, and has the rule for it.
test('numbers commit out of order: a program whose start stays behind for longer than a transaction misses none', async () => {
  const key = await depot.addRoute('LATE', [1, 2]);
  for (const id of [1, 2]) await depot.record(key, { id, updates: delivered });
  await depot.untilHosted(key);
  // A look of later: these changes are older than each transaction that is open then.
  const from = highest(await changesSince('LATE', 0));
  const slow = await pool.connect();
  await slow.query('begin');
  await slow.query(`update PODDTA.RTSTUP set RUSNAM = 'slow' where RURTE = 'LATE' and RUSTP = 1`);
  await pool.query(`update PODDTA.RTSTUP set RUSNAM = 'quick' where RURTE = 'LATE' and RUSTP = 2`);
  const read = await changesSince('LATE', from);
  expect(read.map(({ stop }) => stop)).toEqual([2]);
  await slow.query('commit');
  slow.release();
  expect(await changesSince('LATE', highest(read))).toEqual([]);
  expect((await changesSince('LATE', from)).map(({ stop }) => stop)).toEqual([1, 2]);
});
