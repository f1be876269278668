import { applyOfficeUpdate, applyStopUpdate, stopObject, type StopObjectInput } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { hostMoment } from '../../../server/src/host/files/local-time.ts';
import {
  foreignChanges,
  replacedValues,
  type WrittenChange,
} from '../../../server/src/replication/to-host/stop-log.ts';
import { hostRows } from '../../../server/src/stops/host-rows.ts';
import type { StopRows } from '../../../server/src/stops/host-stop.ts';

// The lines of PODRPLP about replaced values, and their authors.

const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
const at = Date.parse('2026-11-21T16:00:00.000Z');
const stampOf = (minute: number, client: string, by: string) => ({ at: at + minute * 60_000, client, seq: minute, by });
const update = (stop: Omit<StopObjectInput, 'id'>) => stopObject.parse({ id: 7, ...stop });
const counted = (delivered: number) => ({ products: [{ id: 'MILK', invoice: 'I1', updates: { delivered } }] });

const first = applyStopUpdate(
  { status: 'P' },
  update({ updates: { status: 'D', driver_comments: 'at the gate', store_emp_name: 'Ana' }, ...counted(4) }),
  stampOf(0, 'phone', '1001'),
).result;
const corrected = applyStopUpdate(
  first,
  update({ updates: { driver_comments: 'at the dock', store_emp_id: 'E7' }, ...counted(5) }),
  stampOf(1, 'phone', '1002'),
).result;
const repaired = applyOfficeUpdate(
  corrected,
  update({ updates: { store_emp_name: 'Bea' } }),
  stampOf(2, 'office', 'mia'),
);

const rowsOf = (result: typeof first, version: number, held?: StopRows): StopRows =>
  hostRows(
    { key, stop: 7, result, sequence: `${version}`, moment: (instant) => hostMoment(instant, 'UTC') },
    held && { rows: held, credited: new Set() },
  );
const before = rowsOf(first, 1);
const after = rowsOf(repaired.result, 3, before);
const by = (source: string, employee: string): WrittenChange => ({ source, employee });
const line = { sequence: 3, zone: 'UTC' };
const shown = (write: Parameters<typeof replacedValues>[0]) =>
  replacedValues(write, line).map(({ key: row, change, author }) =>
    [row.slice(3).join(' '), change?.column, change?.before, change?.after, author?.who, author?.user].join(' | '),
  );

test('a write has a line for each value that it replaces, with the author of that value', () => {
  const changes = [by('sync', '1002'), by('office', 'mia')];
  expect(shown({ result: repaired.result, before, after, changes, clerks: [] })).toEqual([
    '7 I1 MILK 1 P | RQDLV | 4 | 5 | D | 1002',
    '7 | RUSNAM | Ana | Bea | O | mia',
    '7 | RUCMT | at the gate | at the dock | D | 1002',
  ]);
});

test('an author of the office is a clerk where the edit came from the host', () => {
  const changes = [by('office', 'mia')];
  expect(shown({ result: repaired.result, before, after, changes, clerks: ['mia'] })).toContain(
    '7 | RUSNAM | Ana | Bea | C | mia',
  );
});

test.each([
  ['a timer', by('timer', 'timer')],
  ['a restored server', by('office', 'RESTORED')],
])('%s is nobody', (_, change) => {
  const lines = replacedValues({ result: corrected, before, after, changes: [change], clerks: [] }, line);
  expect(lines.map(({ author }) => author)).toEqual([undefined, undefined, undefined]);
});

test('the first write of a stop replaces nothing, and a value in place of a blank is no replacement', () => {
  const changes = [by('sync', '1001')];
  expect(shown({ result: first, before: undefined, after: before, changes, clerks: [] })).toEqual([]);
  expect(shown({ result: corrected, before, after, changes, clerks: [] }).join('\n')).not.toContain('RUSEMP');
});

test('edits of another program count whatever was there before, and a removed row with all of its values', () => {
  const [result] = before.RTSTUP;
  if (!result) throw new Error('no result');
  const edited = { ...before, RTPRUP: [], RTSTUP: [{ ...result, RUSEMP: 'E9', RUSNAM: '', RUTRC: 'OTHER' }] };
  expect(
    foreignChanges(before, edited).map(({ file, column, before: was, after: is }) => [file, column, was, is]),
  ).toEqual([
    ['RTPRUP', 'RQDLV', '4', ''],
    ['RTPRUP', 'RQACCF', 'N', ''],
    ['RTSTUP', 'RUSEMP', '', 'E9'],
    ['RTSTUP', 'RUSNAM', 'Ana', ''],
  ]);
});
