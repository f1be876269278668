import { describe, expect, test } from 'vitest';
import { checkLoadReport } from '@tailgate/client-sdk/reports';
import { faultsOf } from '../../server/web/driver/model/faults.ts';
import type { Reports } from '../../server/web/driver/model/load-report.ts';
import {
  isUnsaved,
  reportOf,
  reportSections,
  reportsOf,
  storedReports,
  unrated,
  wantsNote,
  withReceipt,
  withSection,
} from '../../server/web/driver/model/load-report.ts';
import { faultSentence } from '../../server/web/driver/words/faults.ts';

const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
const at = Date.parse('2026-11-23T06:00:00Z');
const empty = reportsOf(undefined);
const stacked = withSection(empty, 'leave', 'stacking', { rating: 2, reason: ' leans ', photo: 'A'.repeat(16) });

test('a report lists the rated sections, with words and photo', () => {
  expect(reportOf({ key }, '1001', 'leave', stacked.leave, at)).toEqual({
    reportId: 'F01-R100-20261128-1001-leave',
    loadId: 'R100-20261128',
    stopId: '999',
    driverId: '1001',
    capturedAt: '2026-11-23T06:00:00.000Z',
    sections: [{ key: 'stacking', rating: 2, reason: 'leans', comment: '', photos_id: 'A'.repeat(16) }],
  });
});

test('the longest keys of a route fit a report', () => {
  const longest = { facility: 'F'.repeat(5), id: 'R'.repeat(10), week_end: '20261128' };
  const report = reportOf({ key: longest }, '1'.repeat(10), 'return', stacked.leave, at);
  expect(faultsOf(() => checkLoadReport(report))).toEqual(new Map());
});

test('the reports before leaving and after the return are two', () => {
  expect(stacked.return).toEqual(empty.return);
  const ids = (['leave', 'return'] as const).map((kind) => reportOf({ key }, '1001', kind, stacked.leave, at).reportId);
  expect(new Set(ids).size).toBe(2);
});

test('a form is unsaved from its first rating to its receipt, and after each later change', () => {
  expect(isUnsaved(empty.leave)).toBe(false);
  expect(isUnsaved(withSection(empty, 'leave', 'stacking', { reason: 'no rating yet' }).leave)).toBe(false);
  expect(isUnsaved(stacked.leave)).toBe(true);
  const saved = withReceipt(stacked, 'leave', 'receipt');
  expect(isUnsaved(saved.leave)).toBe(false);
  expect(isUnsaved(withSection(saved, 'leave', 'stacking', { rating: 5 }).leave)).toBe(true);
});

test('a poor rating asks why, and a note stays within reach of a better one', () => {
  const rated = (rating: number, reason = '') => ({ rating, reason, comment: '', photo: null });
  expect([0, 1, 2, 3, 4, 5].map((rating) => wantsNote(rated(rating)))).toEqual([false, true, true, true, false, false]);
  expect(wantsNote(rated(5, 'was worse'))).toBe(true);
  expect(unrated(stacked.leave)).toEqual(reportSections.slice(1));
});

describe('a stored form', () => {
  test('is read as it was written', () => {
    const text = JSON.stringify(storedReports(stacked));
    expect(reportsOf(JSON.parse(text))).toEqual(stacked);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'leave'],
    ['another shape', { reports: { leave: { sections: { stacking: { rating: 9, reason: 7 } }, changed: 'yes' } } }],
  ])('of %s is empty', (_name, stored) => {
    const read: Reports = reportsOf(stored);
    expect(read).toEqual(empty);
  });
});

test('the SDK’s remark on a field becomes a sentence', () => {
  const report = (reason: string) =>
    reportOf({ key }, '1001', 'leave', withSection(stacked, 'leave', 'stacking', { reason }).leave, at);
  const faults = faultsOf(() => checkLoadReport(report('x'.repeat(101))));
  expect([...faults.keys()]).toEqual(['sections.0.reason']);
  expect(faultSentence(faults.get('sections.0.reason'))).toBe('At most 100 characters.');
  expect(faultSentence('must not exceed 5')).toBe('At most 5.');
  expect(faultSentence('must be at least 1')).toBe('At least 1.');
  expect(faultSentence('must not be blank')).toBe('This cannot be saved: must not be blank');
  expect(faultSentence(undefined)).toBeUndefined();
});
