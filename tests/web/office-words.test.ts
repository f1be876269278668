import { expect, test, vi } from 'vitest';
import { AskedAgain, Unreachable } from '../../server/web/office/api/api.ts';

vi.stubGlobal('sessionStorage', { getItem: () => null });
vi.stubGlobal('location', { hash: '' });
vi.stubGlobal('history', { state: null });

test('a time has its day where that is not today, and its year where that is not the present one', async () => {
  const { timeIn } = await import('../../server/web/office/words/times.ts');
  const now = Date.parse('2026-11-24T18:00:00Z');
  const of = { zone: 'America/Chicago' };
  const text = (at: string): string => timeIn(Date.parse(at), of, 'time', now);
  expect(text('2026-11-24T14:56:00Z')).toBe('08:56');
  expect(text('2026-11-23T14:56:00Z')).toContain('Nov 23');
  expect(text('2026-11-23T14:56:00Z')).not.toContain('2026');
  expect(text('2031-11-24T06:00:00Z')).toContain('2031');
  expect(text('2025-12-31T14:56:00Z')).toContain('2025');
});

test('where facilities have several zones, a time that is not on the reader’s clock names its zone', async () => {
  const { timeIn } = await import('../../server/web/office/words/times.ts');
  const { facilities } = await import('../../server/web/office/zones.ts');
  const now = Date.parse('2026-11-24T18:00:00Z');
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const foreign = own === 'Asia/Tokyo' ? 'Asia/Kolkata' : 'Asia/Tokyo';
  const shown = (facility: string): string => timeIn(now, { facility }, 'time', now);
  facilities.set([{ id: 'A', name: '', zone: foreign }]);
  expect(shown('A')).toMatch(/^\d\d:\d\d$/);
  facilities.set([...facilities.current, { id: 'B', name: '', zone: own }]);
  expect(shown('A')).toMatch(/^\d\d:\d\d GMT\+/);
  expect(shown('B')).toMatch(/^\d\d:\d\d$/);
  facilities.set([]);
});

test('a time in a sentence has its article in Spanish: one of today another than one of an earlier day', async () => {
  vi.stubGlobal('document', { documentElement: { lang: '' } });
  const { atTime, untilTime } = await import('../../server/web/office/words/times.ts');
  const { i18n, t } = await import('../../server/web/office/words/words.ts');
  const now = Date.parse('2026-11-24T18:00:00Z');
  const [today, monday] = [Date.parse('2026-11-24T14:56:00Z'), Date.parse('2026-11-23T14:56:00Z')];
  const of = { zone: 'America/Chicago' };
  const changed = (ms: number): string => t('first.changed', { by: 'REPAIR', time: atTime(ms, of, 'time', now) });
  const read = (ms: number): string => t('flags.done', { by: 'REPAIR', time: untilTime(ms, of, 'time', now) });
  expect(changed(today)).toBe('REPAIR was here first, at 08:56, and changed this.');
  i18n.lend('es');
  expect(changed(today)).toBe('REPAIR llegó primero, a las 08:56, y cambió esto.');
  expect(changed(monday)).toMatch(/ primero, el lun, 23 nov, 08:56,/);
  expect(read(today)).toBe('REPAIR los leyó hasta las 08:56.');
  expect(read(monday)).toMatch(/ hasta el lun, 23 nov, 08:56\.$/);
  i18n.lend('en');
});

test('without an answer, the page says whether it asks again by itself, or the operator has to try again', async () => {
  const { sentenceOf } = await import('../../server/web/office/words/faults.ts');
  expect(sentenceOf(new AskedAgain('none'))).toContain('It is asked again every few seconds.');
  expect(sentenceOf(new Unreachable('none'))).toContain('then try again.');
});

test('a found change leads to its entry of quarantine, its stop or its route; that of a load report leads nowhere', async () => {
  const { foundLink } = await import('../../server/web/office/links.ts');
  const change = { id: 'M1', facility: 'F01', route_id: 'R100', week_end: '20261128', stop_id: 2, quarantine_id: null };
  expect(foundLink(change)).toBe('#/stop/F01/R100/20261128/2/history/M1');
  expect(foundLink({ ...change, stop_id: null })).toBe('#/route/F01/R100/20261128');
  expect(foundLink({ ...change, quarantine_id: 'Q1' })).toBe('#/quarantine/Q1');
  expect(foundLink({ ...change, route_id: '', week_end: '', stop_id: null })).toBeUndefined();
});

test('one matter is said in the singular', async () => {
  const { t } = await import('../../server/web/office/words/words.ts');
  expect([t('else.not_applied', { n: 1 }), t('else.saved_already', { n: 1 }), t('offer.flags', { n: 1 })]).toEqual([
    'It is kept, and the driver waits for an answer.',
    'The change is saved. Only the warning stays unread.',
    'Read it',
  ]);
  expect(t('stop.totalExceptions', { n: 1 })).toBe('exception');
});
