import type { ReceiptState } from '@tailgate/client-sdk';
import { describe, expect, test } from 'vitest';
import { recordedAt } from '../../server/web/driver/model/receipt-time.ts';
import { ticksOf } from '../../server/web/driver/model/ticks.ts';

const accepted: ReceiptState = { at: 'accepted', version: 2, evidence: 'complete' };
const hosted: ReceiptState = { at: 'on_host', version: 2, evidence: 'complete' };

describe('the three ticks', () => {
  test.each<[string, ReceiptState, string]>([
    ['in memory', { at: 'recorded' }, 'wait wait wait saving'],
    ['on the disk', { at: 'saved' }, 'yes wait wait phone'],
    ['accepted, a file unknown', { at: 'accepted', version: 2 }, 'yes wait wait phone'],
    ['accepted, a file awaited', { at: 'accepted', version: 2, evidence: 'awaited' }, 'yes part wait file'],
    ['accepted with every file', accepted, 'yes yes wait server'],
    ['on the host', hosted, 'yes yes yes office'],
    ['on the host, a file awaited', { at: 'on_host', version: 2, evidence: 'awaited' }, 'yes part yes file'],
    ['in review', { at: 'quarantined', code: 'STOP_NOT_FOUND', reason: 'no such stop' }, 'yes yes look look'],
  ])('%s', (_, state, shown) => {
    const row = ticksOf([state]);
    expect([row?.phone, row?.server, row?.office, row?.word].join(' ')).toBe(shown);
  });

  test('the least far change decides', () => {
    expect(ticksOf([hosted, { at: 'saved' }, accepted])).toEqual({
      phone: 'yes',
      server: 'wait',
      office: 'wait',
      word: 'phone',
    });
  });

  test('a withdrawn change shows nothing', () => {
    expect(ticksOf([{ at: 'withdrawn' }])).toBeUndefined();
    expect(ticksOf([{ at: 'withdrawn' }, hosted])?.word).toBe('office');
  });
});

test('the id of a change has the moment of its recording', () => {
  expect(recordedAt('01a206d6-ed7d-7836-857f-a2665bf01ccd')).toBe(0x01a206d6ed7d);
  expect(recordedAt('not-an-id')).toBeUndefined();
});
