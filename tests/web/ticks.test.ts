import type { ReceiptState } from '@tailgate/client-sdk';
import { describe, expect, test } from 'vitest';
import { fileTick, latestTimes, ticksOf } from '../../server/web/driver/model/ticks.ts';

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
    ['in shadow', { at: 'shadow', version: 2, evidence: 'complete' }, 'yes yes wait shadow'],
    ['in shadow, a file awaited', { at: 'shadow', version: 2, evidence: 'awaited' }, 'yes part wait file'],
    ['in review', { at: 'quarantined', code: 'STOP_NOT_FOUND', reason: 'no such stop' }, 'yes yes look look'],
  ])('%s', (_, state, shown) => {
    const row = ticksOf([state]);
    expect([row?.phone, row?.server, row?.office, row?.word].join(' ')).toBe(shown);
  });

  test('a photo of the stop that is not on the disk yet holds every tick back', () => {
    expect(ticksOf([hosted], false, true)).toMatchObject({ phone: 'wait', word: 'saving' });
    expect(ticksOf([], false, true)).toBeUndefined();
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

test('a parked stop needs a person, also where its change is accepted', () => {
  expect(ticksOf([accepted], true)).toMatchObject({ server: 'yes', office: 'look', word: 'look' });
});

test('the times are those of the latest change that has them', () => {
  const times = latestTimes([
    { at: 'on_host', version: 2, recordedAt: 10, acceptedAt: 20, hostedAt: 30 },
    { at: 'saved', recordedAt: 40 },
  ]);
  expect(times).toEqual({ recorded: 40, accepted: 20, hosted: 30 });
});

describe('the server’s tick of a file', () => {
  const [complete, awaited] = [ticksOf([hosted]), ticksOf([{ ...hosted, evidence: 'awaited' }])];

  test('a file of this phone has its own state, whatever the stop lacks', () => {
    expect(fileTick({ at: 'here', epoch: null, since: 1 }, 0, awaited)).toBe('yes');
    expect(fileTick({ at: 'saved' }, 0, complete)).toBe('wait');
    expect(fileTick({ at: 'saved' }, 40, awaited)).toBe('part');
    expect(fileTick({ at: 'failed', code: 'REFUSED', reason: 'too large', since: 0 }, 0, awaited)).toBe('look');
  });

  test('a file that this phone does not know is at the server only where the server has all of the stop', () => {
    expect(fileTick(undefined, 0, complete)).toBe('yes');
    expect(fileTick(undefined, 0, awaited)).toBe('elsewhere');
    expect(fileTick(undefined, 0, undefined)).toBe('elsewhere');
  });
});
