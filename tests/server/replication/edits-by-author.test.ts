import { describe, expect, test } from 'vitest';
import { splitByAuthor, rowName } from '../../../server/src/replication/to-host/edits-by-author.ts';
import { hostMoment } from '../../../server/src/host/files/local-time.ts';
import { hostRows } from '../../../server/src/stops/host-rows.ts';
import type { StopRows } from '../../../server/src/stops/host-stop.ts';

const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
const stop = ['F01', 'R100', '20261128', '7'];
const comment = rowName('RTSTUP', stop);
const line = (item: string) => rowName('RTPRUP', [...stop, 'I1', item, '1', 'P']);
const hand = (user: string, second: number) => ({ user, at: new Date(second * 1_000) });
const last = hand('CARL', 99);

const products = Object.fromEntries(
  ['MILK', 'EGGS'].map((id) => [id, { id, invoice: 'I1', n: 0, delivered: 1 }] as const),
);
const before = hostRows({
  key,
  stop: 7,
  result: { status: 'D', products },
  sequence: '1',
  moment: (instant) => hostMoment(instant, 'UTC'),
});
const commented = (rows: StopRows): StopRows => ({
  ...rows,
  RTSTUP: rows.RTSTUP.map((row) => ({ ...row, RUCMT: 'by phone' })),
});
const counted = (rows: StopRows, item: string): StopRows => ({
  ...rows,
  RTPRUP: rows.RTPRUP.map((row) => (row.RQITM === item ? { ...row, RQDLV: '5' } : row)),
});

describe('foreign changes of the rows of a stop', () => {
  test('come by author, each with the rows after it', () => {
    const found = counted(counted(commented(before), 'MILK'), 'EGGS');
    const rows = new Map([
      [comment, hand('ANN', 20)],
      [line('MILK'), hand('BOB', 40)],
      [line('EGGS'), hand('ANN', 10)],
    ]);
    expect(splitByAuthor(before, found, { ...last, rows })).toEqual([
      { ...hand('ANN', 10), rows: counted(before, 'EGGS') },
      { ...hand('ANN', 20), rows: counted(commented(before), 'EGGS') },
      { ...hand('BOB', 40), rows: found },
    ]);
  });

  test('are one edit where one author wrote them within moments, dated by its end', () => {
    const found = counted(commented(before), 'MILK');
    const rows = new Map([
      [comment, hand('ANN', 20)],
      [line('MILK'), hand('ANN', 21.5)],
    ]);
    expect(splitByAuthor(before, found, { ...last, rows })).toEqual([{ ...hand('ANN', 21.5), rows: found }]);
  });

  test('belong to the most likely author where the row, or the file, is unknown', () => {
    const found = counted(commented(before), 'MILK');
    const file = new Map([[rowName('RTPRUP', stop), hand('BOB', 40)]]);
    expect(splitByAuthor(before, found, { ...last, rows: file }).map(({ user }) => user)).toEqual(['BOB', 'CARL']);
    expect(splitByAuthor(before, found, last)).toEqual([{ ...last, rows: found }]);
  });

  test('may be new rows and deleted rows', () => {
    const rows = new Map([
      [line('MILK'), hand('ANN', 10)],
      [line('EGGS'), hand('BOB', 40)],
    ]);
    const milk = before.RTPRUP.filter(({ RQITM }) => RQITM === 'MILK');
    const eggs = before.RTPRUP.filter(({ RQITM }) => RQITM === 'EGGS');
    const turns = splitByAuthor({ ...before, RTPRUP: milk }, { ...before, RTPRUP: eggs }, { ...last, rows });
    expect(turns.map((turn) => turn.rows.RTPRUP)).toEqual([[], eggs]);
    expect(splitByAuthor(undefined, before, { ...last, rows }).map((turn) => turn.rows.RTPRUP)).toEqual([
      milk,
      before.RTPRUP,
      before.RTPRUP,
    ]);
  });
});
