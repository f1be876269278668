import { describe, expect, test } from 'vitest';
import type { Cause } from '../../server/web/office/attention.ts';
import { facilityOf, keptCause, offerOf, parkedCause } from '../../server/web/office/model/causes.ts';
import { placeOfIncident } from '../../server/web/office/model/incident.ts';
import { causePlaces, causeTitle } from '../../server/web/office/words/cause-sentences.ts';

const at = '2026-11-24T08:56:00.000Z';
const item = (id: string) => ({
  id,
  at,
  facility: 'F01',
  route_id: 'R100',
  week_end: '20261128',
  stop_id: 2,
  employee: null,
  text: '',
});
const cause = (given: Partial<Cause>): Cause => ({
  cause: 'parked:RTSTUP:22001:1a2b',
  kind: 'parked',
  count: 1,
  capped: false,
  oldest_at: at,
  newest_at: at,
  since: at,
  file: 'RTSTUP',
  code: '22001',
  message: '',
  items: [item('a')],
  suggested: { act: 'repair', operation: 'repairParked' },
  otherwise: 'host_lacks_stop',
  running: null,
  ...given,
});
const admin = { repair: true, admin: true };
const clerk = { repair: true, admin: false };
const reader = { repair: false, admin: false };

describe('the one act of a cause', () => {
  test('one refused stop leads to its repair, several to their list', () => {
    expect(offerOf(cause({}), clerk)).toEqual({ is: 'repair', id: 'a' });
    expect(offerOf(cause({ count: 3 }), clerk)).toEqual({ is: 'entries' });
  });

  test('many refused rows are retried at once, by an operator who may', () => {
    const many = cause({ count: 500, suggested: { act: 'retry_all', operation: 'retryParkedCause' } });
    expect(offerOf(many, clerk)).toEqual({ is: 'retry' });
    expect(offerOf(many, reader)).toEqual({ is: 'entries' });
    expect(parkedCause(many)).toBe('RTSTUP:22001:1a2b');
  });

  test('the kept changes of a cause have its code and its name', () => {
    const kept = cause({ kind: 'quarantine', cause: 'quarantine:STOP_NOT_FOUND:stop.update', code: 'STOP_NOT_FOUND' });
    expect(keptCause(kept)).toEqual({ code: 'STOP_NOT_FOUND', name: 'stop.update' });
  });

  test('a forgotten hold ends with one click of an admin; others and a hold of the host lead to the host', () => {
    const hold = cause({ kind: 'hold', suggested: { act: 'end_hold', operation: 'endHold' } });
    expect(offerOf(hold, admin)).toEqual({ is: 'hold', id: 'a' });
    expect(offerOf(hold, clerk)).toEqual({ is: 'host' });
    const ofHost = cause({ kind: 'hold', suggested: { act: 'call_host', operation: null } });
    expect(offerOf(ofHost, admin)).toEqual({ is: 'host' });
  });

  test.each([
    ['quarantine', 'quarantine:NOT_ASSIGNED:x', 'release', { is: 'kept', id: 'a' }, { is: 'entries' }],
    ['incident', 'incident:restored', 'acknowledge', { is: 'incident', id: 'a' }, { is: 'incidents', code: 'c' }],
    [
      'missing_file',
      'incident:asset_missing',
      'acknowledge',
      { is: 'incident', id: 'a' },
      { is: 'incidents', code: 'c' },
    ],
    ['missing_file', 'missing_file', 'call_driver', { is: 'stop', item: item('a') }, { is: 'entries' }],
    ['silent_phone', 'silent_phone', 'call_driver', { is: 'phone', id: 'a' }, { is: 'phones' }],
    ['flag', 'flag:after_close', 'review', { is: 'flags', code: 'c' }, { is: 'flags', code: 'c' }],
    ['late_close', 'late_close:waits', 'wait', { is: 'parked' }, { is: 'parked' }],
  ] as const)('%s by %s', (kind, name, act, one, several) => {
    const given = { kind, cause: name, code: 'c', suggested: { act, operation: null } };
    expect(offerOf(cause(given), clerk)).toEqual(one);
    expect(offerOf(cause({ ...given, count: 7 }), clerk)).toEqual(several);
  });
});

test('an open route of an earlier day leads to its page, several to their list', () => {
  const open = {
    kind: 'late_close',
    cause: 'late_close:open',
    suggested: { act: 'call_driver', operation: null },
  } as const;
  const route = { ...item('F01/R100/20261128'), stop_id: null };
  expect(offerOf(cause({ ...open, items: [route] }), reader)).toEqual({ is: 'route', item: route });
  expect(offerOf(cause({ ...open, count: 2, items: [route, route] }), reader)).toEqual({ is: 'entries' });
});

test('the place of an incident is read from its details; other details have none', () => {
  const route = { facility: 'F01', id: 'R100', week_end: '20261128' };
  expect(placeOfIncident(JSON.stringify({ route, stop: 2 }))).toEqual({
    facility: 'F01',
    route_id: 'R100',
    week_end: '20261128',
    stop_id: 2,
  });
  const none = { facility: undefined, route_id: undefined, week_end: undefined, stop_id: undefined };
  for (const details of ['', 'no JSON', '"text"', '[1]', '{"route":"R100","stop":"2"}'])
    expect(placeOfIncident(details)).toEqual(none);
});

describe('a row of the inbox', () => {
  test('has the clock of its facility, where all entries share one', () => {
    expect(facilityOf(cause({ items: [item('a'), item('b')] }))).toBe('F01');
    expect(facilityOf(cause({ items: [item('a'), { ...item('b'), facility: 'D01' }] }))).toBeUndefined();
    expect(facilityOf(cause({ items: [{ ...item('a'), facility: null }] }))).toBeUndefined();
  });

  test('names a silent phone by its driver, and a hold by its reason alone', () => {
    const none = { facility: null, route_id: null, week_end: null, stop_id: null };
    const phone = { ...item('a'), ...none, employee: '1001', text: 'Marcus Bell · Tab 5' };
    expect(causePlaces(cause({ kind: 'silent_phone', items: [phone] }))).toBe('Marcus Bell · Tab 5');
    expect(causePlaces(cause({ kind: 'hold', items: [{ ...item('a'), ...none, text: 'CHIEF' }] }))).toBe('');
    expect(causePlaces(cause({}))).toBe('R100 · stop 2');
  });
});

test('a count that the server has cut off is said to be more', () => {
  const flags = { kind: 'flag', count: 2000 } as const;
  expect(causeTitle(cause(flags))).toBe('2,000 saved changes to look at');
  expect(causeTitle(cause({ ...flags, capped: true }))).toBe('2,000 or more saved changes to look at');
});
