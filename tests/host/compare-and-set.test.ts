import { expect, test } from 'vitest';
import { mergeRows, putRows, readRecords, selectRows, updateGuarded } from '../../server/src/host/files/statements.ts';
import { createHost } from '../support/stand-in.ts';

const { host, clerk } = await createHost();
const stamp = { user: 'TAILGATE', program: 'TAILGATE', date: '20261121', time: '101010' };
const key = (stop: number) => ({ RUFAC: 'F01', RURTE: 'R1', RUWKE: '20261121', RUSTP: `${stop}` }) as const;
const row = (stop: number, status: string, sequence: number, comment = 'Grüße') =>
  ({ ...key(stop), RUSTS: status, RUCMT: comment, RURPSQ: `${sequence}` }) as const;

const merge = (rows: { row: ReturnType<typeof row>; was?: ReturnType<typeof row> }[]) => {
  const { sql, bind } = mergeRows(host, 'RTSTUP', ['RUSTS', 'RUCMT', 'RURPSQ'], rows.length, { sequence: 'RURPSQ' });
  return host.transaction((tx) => tx.execute(sql, bind({ rows, stamp })));
};
const statusOf = async (stop: number) => {
  const { sql, bind } = selectRows(host, 'RTSTUP', ['RUFAC', 'RURTE', 'RUWKE', 'RUSTP']);
  return readRecords('RTSTUP', await host.query(sql, bind(key(stop))))[0]?.RUSTS;
};

test('a missing row is inserted, a row as confirmed is changed, and the count is returned', async () => {
  expect(await merge([{ row: row(1, 'S', 10) }, { row: row(2, 'S', 10) }])).toBe(2);
  expect(await merge([{ row: row(1, 'D', 11), was: row(1, 'S', 10) }, { row: row(3, 'D', 11) }])).toBe(2);
  expect(await statusOf(1)).toBe('D');
});

test('a row with a foreign change is not overwritten, nor one of a higher sequence, nor an unconfirmed one', async () => {
  await merge([{ row: row(4, 'S', 10) }]);
  await clerk.query("update RTSTUP set RUSTS = 'R' where RUSTP = 4");
  expect(await merge([{ row: row(4, 'D', 11), was: row(4, 'S', 10) }])).toBe(0);
  expect(await merge([{ row: row(4, 'D', 10), was: row(4, 'R', 10) }])).toBe(0);
  expect(await merge([{ row: row(4, 'D', 12) }])).toBe(0);
  expect(await statusOf(4)).toBe('R');
  expect(await merge([{ row: row(4, 'D', 12), was: row(4, 'R', 10) }])).toBe(1);
});

test('a shared row is changed only where it has the confirmed values', async () => {
  await clerk.query("insert into RTSTPP (RSFAC, RSRTE, RSWKE, RSSTP) values ('F01', 'R1', 20261121, 1)");
  const { sql, bind } = updateGuarded(host, 'RTSTPP', ['RSSTS', 'RSARVF']);
  const place = { RSFAC: 'F01', RSRTE: 'R1', RSWKE: '20261121', RSSTP: '1' } as const;
  const blank = { RSSTS: '', RSARVF: '' };
  const done = { RSSTS: 'D', RSARVF: 'N' };
  const update = (to: typeof blank, was: typeof blank) =>
    host.transaction((tx) => tx.execute(sql, bind({ key: place, row: to, was, stamp })));
  expect(await update(done, blank)).toBe(1);
  expect(await update(done, blank)).toBe(0);
  expect(await update({ RSSTS: 'S', RSARVF: 'N' }, done)).toBe(1);
});

test('the audit tail names creator and last writer of a row', async () => {
  const { sql, bind } = putRows(host, 'SLSREPP', ['SRNAM', 'SRPHN'], 1);
  const put = (name: string, user: string) =>
    host.transaction((tx) =>
      tx.execute(sql, bind({ rows: [{ SRID: 'S1', SRNAM: name, SRPHN: '' }], stamp: { ...stamp, user } })),
    );
  await put('One', 'ANN');
  await put('Two', 'BOB');
  expect(await host.query('select SRNAM, SRCUSR, SRUUSR, SRCDAT, SRUTIM from SLSREPP')).toEqual([
    { SRNAM: 'Two', SRCUSR: 'ANN', SRUUSR: 'BOB', SRCDAT: '20261121', SRUTIM: '101010' },
  ]);
});

test('a text that is too long is refused, not cut', async () => {
  const long = row(9, 'D', 1, 'x'.repeat(257));
  await expect(merge([{ row: long }])).rejects.toMatchObject({ sqlstate: '22001', kind: 'poison' });
});
