import type { ClientFrameInput } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { MemoryStore } from '@tailgate/client-sdk';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { defaultTiming } from '../../client-sdk/src/connection/machine.ts';
import type { Environment } from '../../client-sdk/src/platform/environment.ts';
import { platform } from '../../client-sdk/src/platform/environment.ts';
import { storedMutation } from '../../client-sdk/src/queue/item.ts';
import { Outbox } from '../../client-sdk/src/queue/outbox.ts';
import { draftUpdate } from '../../client-sdk/src/queue/record.ts';
import { firstPushBytes, Sender } from '../../client-sdk/src/queue/sender.ts';
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
    get stamp() {
      return at.now;
    },
    isSure: true,
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
  const sender = new Sender(outbox.queueOf('1001'), limits, {
    environment,
    timing: defaultTiming,
    connection,
    pace: { bytes: limits.frame_bytes },
  });
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

/** A queue on a line whose speed the test sets. */
function openLine() {
  const { record, outbox, environment, advance } = openQueue();
  const queue = outbox.queueOf('1001');
  const limits = { frame_bytes: 1_048_576, mutations_per_push: 256, pushes_in_flight: 4, ping_ms: 5_000 };
  const pace = { bytes: firstPushBytes };
  const line: Extract<ClientFrameInput, { type: 'push' }>[] = [];
  const connection = {
    send: (frame: ClientFrameInput) => void (frame.type === 'push' && line.push(frame)),
    handle: () => {},
  };
  let sender = new Sender(queue, limits, { environment, timing: defaultTiming, connection, pace });
  const passed: number[] = [];
  const reconnect = (): void => {
    sender.end();
    line.length = 0;
    sender = new Sender(queue, limits, { environment, timing: defaultTiming, connection, pace });
  };
  /** Transfers the oldest push, and answers it. */
  const pass = async (bytesPerSecond: number): Promise<void> => {
    const frame = line.shift();
    if (!frame) throw new Error('nothing is on the line');
    const ms = (JSON.stringify(frame).length / bytesPerSecond) * 1_000;
    // The server closes a connection without a whole frame for 15 s.
    expect(ms).toBeLessThan(15_000);
    passed.push(frame.mutations.length);
    advance(ms);
    const results = frame.mutations
      .filter(storedMutation)
      .map(({ seq, id }) => ({ seq, id, result: 'applied' as const, version: 1 }));
    outbox.settle(queue, results, { epochOf: () => null });
    sender.acknowledged({ type: 'ack', last_seq: results.at(-1)!.seq, results });
    await sender.pump();
  };
  return { record, queue, pace, line, passed, pass, reconnect, pump: () => sender.pump() };
}

test('a backlog of 300 kB drains over 10 kB a second, and quick answers make large pushes', async () => {
  const { record, queue, pace, line, passed, pass, pump, reconnect } = openLine();
  // Quick answers to single taps, in good coverage, permit no large push.
  for (let tap = 0; tap < 6; tap++) {
    record(1, `tap ${tap}`);
    await pump();
    await pass(10_000_000);
  }
  expect(pace.bytes).toBe(firstPushBytes);
  for (let stop = 1; stop <= 300; stop++) record(stop, 'x'.repeat(700));
  await pump();
  while (line.length > 0) await pass(10_000);
  expect(queue.waiting.size).toBe(0);

  for (let i = 0; i < 3_000; i++) record((i % 900) + 1, 'x'.repeat(700));
  passed.length = 0;
  await pump();
  while (line.length > 0) await pass(10_000_000);
  expect(queue.waiting.size).toBe(0);
  // At most some answers more than pushes of the full size would need.
  expect(passed.length).toBeLessThan(3_000 / 256 + 12);
  expect(Math.max(...passed)).toBe(256);

  // The next connection has a slow link: it begins anew, with less after a push without an answer.
  reconnect();
  expect(pace.bytes).toBe(firstPushBytes);
  for (let stop = 1; stop <= 300; stop++) record(stop, 'x'.repeat(700));
  await pump();
  reconnect();
  expect(pace.bytes).toBe(firstPushBytes / 2);
  await pump();
  while (line.length > 0) await pass(10_000);
  expect(queue.waiting.size).toBe(0);
});

test('three answers to pushes of one size permit twice that size', async () => {
  const { record, line, pace, pass, pump } = openLine();
  for (let stop = 1; stop <= 300; stop++) record(stop, 'x'.repeat(700));
  await pump();
  expect(line).toHaveLength(3);
  for (let answer = 0; answer < 3; answer++) await pass(20_000);
  expect(pace.bytes).toBeGreaterThan(1.5 * firstPushBytes);
  expect(pace.bytes).toBeLessThanOrEqual(2 * firstPushBytes);
});

test('two edits that are too large together stay two changes', () => {
  const { outbox } = openQueue();
  const lines = (from: number) =>
    draftUpdate(sampleKey, {
      id: 1,
      products: Array.from({ length: 150 }, (_, i) => ({
        id: `ITEM${from + i}`,
        invoice: 'INV1',
        action: { open_action: { note: 'x'.repeat(4_000) } },
      })),
    });
  const [first, second] = [0, 150].map((from) => outbox.record('1001', lines(from), 0).item);
  expect(second).not.toBe(first);
  expect(outbox.queueOf('1001').items).toHaveLength(2);
});

test('a conflict that the driver has not seen stays for 30 days; one that the driver has seen goes after 7', async () => {
  const { record, outbox, advance } = openQueue();
  const [unseen, seen] = [1, 2].map((stop) => record(stop, 'tapped').item);
  const path = 'updates.driver_comments';
  const conflicts = [{ id: 'a', route: 'route:F01/R1/20261121', stop: 1, path, mine: 'tapped', theirs: 'other' }];
  const since = Date.UTC(2026, 10, 21, 16);
  const progress = { at: 'on_host', version: 2, since, accepted_at: undefined, evidence: undefined } as const;
  for (const [item, acknowledged] of [[unseen!, false] as const, [seen!, true] as const])
    await outbox.advance(new Map([[item, { progress, conflicts, acknowledged }]]));
  const days = (n: number): void => {
    advance(n * 86_400_000);
    outbox.purge();
  };
  days(7);
  expect(outbox.queueOf('1001').items).toEqual([unseen, seen]);
  days(1);
  expect(outbox.queueOf('1001').items).toEqual([unseen]);
  days(22);
  expect(outbox.queueOf('1001').items).toEqual([unseen]);
  days(1);
  expect(outbox.queueOf('1001').items).toEqual([]);
});
