import type { ClientFrameInput } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { MemoryStore } from '@tailgate/client-sdk';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { defaultTiming } from '../../client-sdk/src/connection/machine.ts';
import type { Environment } from '../../client-sdk/src/platform/environment.ts';
import { platform } from '../../client-sdk/src/platform/environment.ts';
import { Outbox } from '../../client-sdk/src/queue/outbox.ts';
import { draftUpdate } from '../../client-sdk/src/queue/record.ts';
import { Sender } from '../../client-sdk/src/queue/sender.ts';
import { Journal } from '../../client-sdk/src/store/journal.ts';

/** A queue without a network. The test moves its clocks. */
function openQueue(sha256: Environment['sha256'] = platform.sha256) {
  const at = { now: Date.UTC(2026, 10, 21, 16), monotonic: 0 };
  const clock = { now: () => at.now, monotonic: () => at.monotonic, after: () => () => {} };
  const environment: Environment = { ...platform, clock, sha256 };
  const store = new MemoryStore();
  const time = {
    id: 'boot-1',
    get elapsed() {
      return at.monotonic;
    },
  };
  const outbox = new Outbox([], [], { journal: new Journal(store, clock), environment, time });
  return {
    outbox,
    store,
    environment,
    advance: (ms: number) => {
      at.now += ms;
      at.monotonic += ms;
    },
    record: (stop: number, text: string) =>
      outbox.record('1001', draftUpdate(sampleKey, { id: stop, updates: { driver_comments: text } }), 0),
  };
}

test('two edits of a stop merge up to 60 s after the first one, and not a millisecond later', () => {
  const { record, advance, outbox } = openQueue();
  const first = record(1, 'at the dock').item;
  advance(60_000);
  expect(record(1, 'a minute later').item).toBe(first);
  advance(1);
  // The window counts from the first edit: merged edits do not extend it.
  const second = record(1, 'too late').item;
  expect(second).not.toBe(first);
  expect(outbox.queueOf('1001').items).toEqual([first, second]);
});

test.each([
  { allowed: 4, sent: 3 },
  { allowed: 2, sent: 1 },
  { allowed: 1, sent: 1 },
])('of $allowed pushes that the server allows in flight, $sent are sent', async ({ allowed, sent }) => {
  const { record, outbox, environment } = openQueue();
  for (let stop = 1; stop <= 6; stop++) record(stop, 'tapped');
  const frames: ClientFrameInput[] = [];
  const limits = { frame_bytes: 100_000, mutations_per_push: 1, pushes_in_flight: allowed, ping_ms: 15_000 };
  const connection = { send: (frame: ClientFrameInput) => void frames.push(frame), handle: () => {} };
  const sender = new Sender(outbox.queueOf('1001'), limits, { environment, timing: defaultTiming, connection });
  await sender.pump();
  expect(frames).toHaveLength(sent);
  // An answer makes room for exactly one more.
  sender.acknowledged({ type: 'ack', last_seq: 1, results: [{ seq: 1, id: '', result: 'applied', warnings: [] }] });
  await sender.pump();
  expect(frames).toHaveLength(sent + 1);
  sender.end();
});

test('a queue that forks while it is sealed leaves its items unsealed to the new queue, on the disk, too', async () => {
  const { promise: sealing, resolve: begun } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { record, outbox, store } = openQueue(async (text) => {
    begun();
    await released;
    return platform.sha256(text);
  });
  const { item, saved } = record(1, 'tapped');
  await saved;
  const old = outbox.queueOf('1001');
  const batch = old.takeBatch(0, 10, 100_000);
  await sealing;
  const next = outbox.fork(old);
  release();
  expect(await batch).toEqual([]);
  // Sealed by the old queue it would have that queue's link, and the head would count an item that has moved.
  expect(item).toMatchObject({ client_id: next.head.client_id, form: 'frozen' });
  expect(old.head).toMatchObject({ retired: true, sealed_seq: 0, sealed_link: null });
  const heads = (await store.readAll('queue')).map(({ value }) => value);
  expect(heads).toContainEqual(expect.objectContaining({ client_id: old.head.client_id, sealed_seq: 0 }));
  expect(await next.takeBatch(0, 10, 100_000)).toEqual([item]);
  expect(item.form).toBe('sealed');
});
