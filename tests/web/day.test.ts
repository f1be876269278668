import type { LocalStop, ReceiptState } from '@tailgate/client-sdk';
import type { UnsentFile } from '@tailgate/client-sdk/uploads';
import { describe, expect, test } from 'vitest';
import { dayOf } from '../../server/web/driver/model/day.ts';
import { isShort, roomOf, rounded, wrongClock } from '../../server/web/driver/model/phone.ts';
import { codeText } from '../../server/web/driver/model/support.ts';
import { heldSentence } from '../../server/web/driver/words/day-sentences.ts';
import { stopOf } from './route-stop.ts';

const saved = (recordedAt: number): ReceiptState => ({ at: 'saved', recordedAt });
const accepted: ReceiptState = { at: 'accepted', version: 2, evidence: 'complete', acceptedAt: 30 };
const hosted: ReceiptState = { at: 'on_host', version: 2, evidence: 'complete' };
const file: UnsentFile = { id: 'F1', employee: '1001', kind: 'photo', name: 'door', size: 1_800_000, added: 5 };
const noFiles = { files: [], sending: undefined, failed: [] };

function day(
  states: readonly (readonly ReceiptState[])[],
  { stops = states.map((_, i) => stopOf({ id: i + 1 })), files = noFiles, pending = 0 }: Partial<DayInput> = {},
) {
  const statesOf = (stop: LocalStop) => states[stops.indexOf(stop)] ?? [];
  return dayOf({ route: { stops }, statesOf, files, employee: '1001', pending, oldestPendingAt: 1 });
}
interface DayInput {
  readonly stops: LocalStop[];
  readonly files: Parameters<typeof dayOf>[0]['files'];
  readonly pending: number;
}

describe('the day', () => {
  test('all of it at the office leaves nothing', () => {
    expect(day([[hosted], [hosted, hosted], []])).toEqual({
      here: 0,
      atServer: 0,
      atOffice: 2,
      elsewhere: 0,
      left: [],
    });
  });

  test('counts the stops of customers, not the warehouse', () => {
    const stops = [stopOf({ id: 1 }), stopOf({ id: 999, type: 'warehouse' })];
    expect(day([[hosted], [hosted]], { stops })).toMatchObject({ atOffice: 1, left: [] });
  });

  test('counts the done stops that were recorded elsewhere on their own', () => {
    const stops = [stopOf({ id: 1 }), ...[2, 3, 999].map((id) => stopOf({ id }, { status: 'D' }))];
    expect(day([[], [], [hosted], []], { stops })).toMatchObject({ atOffice: 1, elsewhere: 1, left: [] });
  });

  test('names each thing with its place, the oldest first', () => {
    const { left, ...numbers } = day([[hosted], [accepted], [saved(20), saved(10)]], { pending: 2 });
    expect(numbers).toEqual({ here: 2, atServer: 1, atOffice: 1, elsewhere: 0 });
    expect(left).toMatchObject([
      { kind: 'change', stop: { id: 3 }, n: 2, since: 10 },
      { kind: 'server', stop: { id: 2 }, since: 30 },
    ]);
  });

  test('a parked stop and a change under review need the office; a dismissed change is over', () => {
    const review: ReceiptState = { at: 'quarantined', code: 'X', reason: 'no such line', recordedAt: 7 };
    const stops = [{ ...stopOf({ id: 1 }), parked: true }, stopOf({ id: 2 }), stopOf({ id: 3 })];
    const { left, atServer } = day([[accepted], [review], [{ ...review, dismissed: 'known' }]], { stops });
    expect(left).toMatchObject([
      { kind: 'review', code: 'X', since: 7 },
      { kind: 'parked', stop: { id: 1 } },
    ]);
    expect(atServer).toBe(2);
  });

  test('a file shows its photo’s number, its stop, and its progress', () => {
    const stop = stopOf({ id: 4, products: [] }, { status: 'D', updates: { overage_items: [] } });
    const line = { ...stop, updates: { ...stop.updates, signature_id: 'F1' } };
    const { left, here } = day([[]], {
      stops: [line],
      files: {
        ...noFiles,
        files: [file, { ...file, id: 'F2', employee: '1002' }],
        sending: { id: 'F1', sent: 4, size: 10 },
      },
    });
    expect(here).toBe(1);
    expect(left).toMatchObject([{ kind: 'file', stop: { id: 4 }, photo: undefined, percent: 40, since: 5 }]);
  });

  test('changes of no stop of the route, and failed files, are not forgotten', () => {
    const failed = { id: 'F9', employee: '1001', name: 'door', reason: 'the bytes are gone' };
    const { left } = day([[saved(3)]], {
      pending: 3,
      files: { ...noFiles, failed: [failed, { ...failed, id: 'F10', employee: '1002' }] },
    });
    expect(left.map(({ kind }) => kind).sort()).toEqual(['change', 'failed', 'other']);
    expect(left).toContainEqual(expect.objectContaining({ kind: 'failed', id: 'F9' }));
    expect(left).toContainEqual(expect.objectContaining({ kind: 'other', n: 2 }));
  });
});

describe('the phone', () => {
  test.each([
    [undefined, undefined],
    [119_000, undefined],
    [-119_000, undefined],
    [120_000, 120_000],
    [-300_000, -300_000],
  ])('a clock that is %s ms ahead is shown from two minutes on', (ahead, said) => {
    expect(wrongClock(ahead)).toBe(said);
  });

  test('room is counted in photos', () => {
    expect(roomOf({ quota: 100_000_000, usage: 20_000_000 }, true)).toEqual({ photos: 200, isKept: true });
    expect(isShort(roomOf({ quota: 4_000_000, usage: 3_000_000 }, true))).toBe(true);
    expect(isShort(roomOf({}, false))).toBe(false);
    expect([0, 7, 99, 123, 13_421].map(rounded)).toEqual([0, 7, 99, 120, 13_000]);
  });
});

test('the code for support holds whole lines, and stays readable for a camera', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i} ${'x'.repeat(40)}`);
  const text = codeText(lines);
  expect(text.length).toBeLessThanOrEqual(700);
  expect(lines.join('\n').startsWith(text.trimEnd())).toBe(true);
  expect(text.endsWith('x\n')).toBe(true);
});

test('a sign-in is the advice only for changes that it sends', () => {
  const status = { awaitsSignIn: { '1002': 1 }, refused: { '1003': 1 } };
  expect(heldSentence(status, '1001', 'Ana')).toBeUndefined();
  expect(heldSentence(status, '1002', 'Ben')).toBe('They wait for Ben to sign in here once.');
  expect(heldSentence(status, '1003', 'Cleo')).toBe('The office has to look at this phone.');
});
