import type { StopResult } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { toItem } from '../../client-sdk/src/queue/item.ts';
import { draftUpdate } from '../../client-sdk/src/queue/record.ts';
import { applyItem } from '../../client-sdk/src/replica/intent.ts';

// The phone's clock is a minute behind the server's.
const serverTime = 1_795_270_000_000;
const deviceTime = serverTime - 60_000;
const around = { drivers: [], stopException: () => undefined, plan: undefined };

/** The stop in the server's answer: one comment, stamped by the server's clock. */
const answered = (client: string, seq: number): StopResult => ({
  status: 'P',
  updates: { driver_comments: 'the older word' },
  by: [{ at: serverTime, client, seq, by: '1001' }],
});

/** A pending comment of this phone. */
const waiting = (client_id: string, seq: number, edit_time = deviceTime, comment = 'the newer word') =>
  toItem({
    client_id,
    employee: '1001',
    form: 'open',
    edit_time,
    mutation: {
      ...draftUpdate(sampleKey, { id: 1, updates: { driver_comments: comment } }),
      id: `id-${seq}`,
      seq,
      captured_at: new Date(deviceTime).toISOString(),
      boot_id: 'boot',
      monotonic_ms: seq,
      prev_hash: null,
    },
    progress: { at: 'waiting' },
  });

test('a driver’s newer edit stays in view while the server answers the older one, even with a clock that is far behind', () => {
  const applied = applyItem(answered('this phone', 1), waiting('this phone', 2), around);
  expect(applied?.result.updates?.driver_comments).toBe('the newer word');
});

test("a later edit of another driver shows, and so do this queue's edits after it", () => {
  for (const before of [answered('another phone', 1), answered('this phone', 3)]) {
    const applied = applyItem(before, waiting('this phone', 2), around);
    expect(applied?.result.updates?.driver_comments).toBe('the older word');
  }
});

test('the last of two unanswered changes shows, also where a jump of the clock dates the first one later', () => {
  const received: StopResult = {
    status: 'P',
    updates: { driver_comments: 'the newer word', store_emp_name: 'Ann' },
    by: [{ at: serverTime, client: 'this phone', seq: 2, by: '1001' }],
  };
  const first = waiting('this phone', 1, serverTime + 60_000, 'the older word');
  const shown = [first, waiting('this phone', 2)].reduce(
    (result, item) => applyItem(result, item, around)?.result ?? result,
    received,
  );
  expect(shown.updates?.driver_comments).toBe('the newer word');
});
