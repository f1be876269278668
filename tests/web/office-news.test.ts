import { expect, test } from 'vitest';
import { concerns } from '../../server/web/office/api/news.ts';

const route = { subject: 'route', facility: 'F01', route_id: 'R100', week_end: '20261128' } as const;

test('the warnings are read again when there are some to read, and not with each change of a route', () => {
  expect(concerns('listFlags', {}, { subject: 'flag' })).toBe(true);
  expect(concerns('listFlags', {}, route)).toBe(false);
});

test('a report of a phone is no news of the causes, because it is news every second', () => {
  expect(concerns('readAttention', {}, { subject: 'device' })).toBe(false);
  expect(concerns('readAttention', {}, { subject: 'parked' })).toBe(true);
  for (const name of ['listLegalHolds', 'listEvidenceLinks'] as const) {
    expect(concerns(name, {}, route)).toBe(false);
    expect(concerns(name, {}, { subject: 'all' })).toBe(true);
  }
});

test('the comparison in shadow is read on request, but for a reading that failed', () => {
  for (const subject of ['all', 'host'] as const) expect(concerns('readShadow', {}, { subject })).toBe(false);
  expect(concerns('readShadow', {}, { subject: 'all' }, false)).toBe(true);
});
