import { canonicalJson } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Store } from '@tailgate/client-sdk';
import type { Clock } from '../../client-sdk/src/platform/environment.ts';
import { platform } from '../../client-sdk/src/platform/environment.ts';
import { Outbox } from '../../client-sdk/src/queue/outbox.ts';
import type { Queue } from '../../client-sdk/src/queue/queue.ts';
import { draftUpdate } from '../../client-sdk/src/queue/record.ts';
import { Journal } from '../../client-sdk/src/store/journal.ts';
import { SmallDisk } from '../support/small-disk.ts';
import { copyOf } from '../support/store-copy.ts';
import { ScriptedLedger } from '@tailgate/client-sdk/testing';
import { sampleDocuments, sampleKey } from '@tailgate/client-sdk/testing';

/** A phone's queue, a server's ledger, and all faults between them; no sockets, no time. */
class World {
  ledger = new ScriptedLedger(sampleDocuments([1, 2, 3], ['1001']));
  store = new SmallDisk();
  outbox!: Outbox;
  /** Ids of changes on the disk: the client has promised to deliver them. */
  readonly promised = new Set<string>();
  /** Ids that were withdrawn and deleted from the disk. */
  readonly withdrawn = new Set<string>();
  /** Ids that a restored phone has lost. */
  readonly forgotten = new Set<string>();
  #journal!: Journal;
  #boots = 0;
  #backups: { phone?: Store; server?: ScriptedLedger } = {};

  async boot(): Promise<this> {
    this.#journal = new Journal(this.store, immediateClock);
    const time = { id: `boot-${++this.#boots}`, elapsed: 0, stamp: Date.now(), isSure: true };
    const [queues, items] = await Promise.all([this.store.readAll('queue'), this.store.readAll('item')]);
    this.outbox = new Outbox(queues, items, { journal: this.#journal, environment: platform, time });
    return this;
  }

  get queue(): Queue {
    return this.outbox.queueOf('1001');
  }

  async record(stop: number, text: string): Promise<void> {
    const draft = draftUpdate(sampleKey, { id: stop, updates: { driver_comments: text } });
    const { item, saved } = this.outbox.record('1001', draft, 0);
    const { id } = item.mutation;
    const noted = saved.then(() => this.outbox.find(id) && this.promised.add(id));
    if (this.store.quota > 0) await noted;
    // At least one attempt.
    else await this.#journal.attempt([nothing]);
  }

  /** Withdraws the first or the last change that this run may still withdraw. */
  async withdraw(which: 0 | -1): Promise<void> {
    const id = this.queue.items.filter(({ undo }) => undo).at(which)?.mutation.id;
    const forgotten = id === undefined ? undefined : this.outbox.withdraw(id);
    if (id === undefined || !forgotten) return;
    this.promised.delete(id);
    // A phone that is restored to an earlier state has the change again.
    const noted = forgotten.then(() => this.#backups.phone === undefined && this.withdrawn.add(id));
    if (this.store.quota > 0) await noted;
    else await this.#journal.attempt([nothing]);
  }

  /** The disk has room again, and stores everything. */
  async makeRoom(): Promise<void> {
    this.store.quota = Infinity;
    await this.#journal.commit([nothing]);
  }

  /** A connection: hello, then pushes until the queue is empty or the connection breaks. */
  async connect(breaks: 'never' | 'before the server' | 'before the answer'): Promise<void> {
    const { queue } = this;
    const { lastSeq } = this.ledger.queue(queue.head.client_id, '1001');
    const missing = this.outbox.reconcile(queue, lastSeq, String(this.ledger.epoch));
    if (missing === 'fork') return void this.outbox.fork(queue);
    if (missing) this.ledger.skip(queue.head.client_id, missing.from, missing.to);
    // An endless loop must fail the test, not block it.
    for (let [from, pushes] = [0, 0]; ; pushes++) {
      if (pushes > 1_000) throw new Error('the queue goes round in circles');
      const batch = await queue.takeBatch(from, 2, 1_000_000);
      if (batch.length === 0 || breaks === 'before the server') return;
      const answer = this.ledger.push(queue.head.client_id, wire(batch.map((item) => item.mutation)));
      if (breaks === 'before the answer') return;
      this.outbox.settle(queue, answer.results, { epochOf: () => this.ledger.routeEpoch });
      if (answer.fork !== undefined) return void this.outbox.fork(queue);
      from = answer.wants ?? batch.at(-1)!.mutation.seq + 1;
    }
  }

  async kill(): Promise<void> {
    await this.#journal.close();
    await this.boot();
  }

  async backUpPhone(): Promise<void> {
    await this.#journal.close();
    this.#backups.phone = await copyOf(this.store);
    await this.boot();
  }

  async restorePhone(): Promise<void> {
    if (!this.#backups.phone) return;
    await this.#journal.close();
    this.store = new SmallDisk(Infinity, await copyOf(this.#backups.phone));
    await this.boot();
    for (const id of this.promised) if (!this.outbox.find(id)) this.forgotten.add(id);
  }

  backUpServer(): void {
    this.#backups.server = this.ledger.backup();
  }

  restoreServer(): void {
    if (!this.#backups.server) return;
    const epoch = this.ledger.epoch + 1;
    this.ledger = this.#backups.server.backup();
    this.ledger.epoch = epoch;
  }
}

/** A write without changes. */
const nothing = { delete: 'setting', key: 'none' } as const;

/** The queue retries failed storage at once. */
const immediateClock: Clock = { ...platform.clock, after: (_ms, work) => platform.clock.after(0, work) };

/** As the wire delivers it. */
function wire(items: readonly object[]): unknown[] {
  const parsed: unknown = JSON.parse(canonicalJson(items));
  return Array.isArray(parsed) ? parsed : [];
}

type Act = (world: World) => Promise<void> | void;
const acts: fc.Arbitrary<[string, Act]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.string({ maxLength: 5, unit: 'grapheme' }))
      .map(([stop, text]): [string, Act] => [`record ${stop}`, (world) => world.record(stop, text)]),
  },
  { weight: 2, arbitrary: fc.constant<[string, Act]>(['drain', (world) => world.connect('never')]) },
  { weight: 1, arbitrary: fc.constant<[string, Act]>(['push lost', (world) => world.connect('before the server')]) },
  { weight: 2, arbitrary: fc.constant<[string, Act]>(['ack lost', (world) => world.connect('before the answer')]) },
  { weight: 2, arbitrary: fc.constant<[string, Act]>(['kill', (world) => world.kill()]) },
  { weight: 1, arbitrary: fc.constant<[string, Act]>(['withdraw the first', (world) => world.withdraw(0)]) },
  { weight: 1, arbitrary: fc.constant<[string, Act]>(['withdraw the last', (world) => world.withdraw(-1)]) },
  { weight: 2, arbitrary: fc.constant<[string, Act]>(['disk is full', (world) => world.store.fill()]) },
  { weight: 1, arbitrary: fc.constant<[string, Act]>(['disk has room', (world) => world.makeRoom()]) },
  { weight: 1, arbitrary: fc.constant<[string, Act]>(['back up phone', (world) => world.backUpPhone()]) },
  { weight: 1, arbitrary: fc.constant<[string, Act]>(['restore phone', (world) => world.restorePhone()]) },
  { weight: 1, arbitrary: fc.constant<[string, Act]>(['back up server', (world) => world.backUpServer()]) },
  { weight: 1, arbitrary: fc.constant<[string, Act]>(['restore server', (world) => world.restoreServer()]) },
);

/** Rare in random runs: a tap merges into a change on the disk, is sent without the disk, and the app is killed. */
const mergedOnFullDisk: [string, Act][] = [
  ['record 1', (world) => world.record(1, 'one')],
  ['disk is full', (world) => world.store.fill()],
  ['record 1', (world) => world.record(1, 'two')],
  ['drain', (world) => world.connect('never')],
  ['kill', (world) => world.kill()],
];

test('under all faults, every saved change arrives once, in order, unless no side has it any more', async () => {
  let forks = 0;
  const property = fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 40 }), async (script) => {
    const world = await new World().boot();
    for (const [, act] of script) await act(world);
    await world.makeRoom();
    // A reliable connection at last. A fork takes one connection more.
    for (let n = 0; n < 3; n++) await world.connect('never');

    const { ledger, outbox, queue } = world;
    expect(queue.waiting.size).toBe(0);
    expect(queue.items.filter(({ progress }) => progress.at === 'quarantined')).toEqual([]);
    const ids = ledger.taken.map((entry) => entry.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => world.withdrawn.has(id))).toEqual([]);
    // If both the phone and the server were restored to a time before a change, no side has it any more.
    const missing = [...world.promised].filter((id) => !ids.includes(id) && !world.forgotten.has(id));
    expect(missing).toEqual([]);
    for (const [clientId, state] of ledger.queues) {
      const seqs = ledger.taken.filter(
        (entry) => entry.mutation.seq <= state.lastSeq && owner(outbox, entry.id) === clientId,
      );
      expect(seqs.map((entry) => entry.mutation.seq)).toEqual(
        seqs.map((entry) => entry.mutation.seq).sort((a, b) => a - b),
      );
    }
    // Ids sort by the time of recording: a queue never overtakes itself.
    const own = ids.filter((id) => outbox.find(id));
    const recorded = own.map((id) => outbox.find(id)!.mutation.captured_at);
    expect(recorded).toEqual([...recorded].sort());
    forks += ledger.queues.size - 1;
  });
  await fc.assert(property, { numRuns: 300, examples: [[mergedOnFullDisk]] });
  expect(forks).toBeGreaterThan(0);
});

const owner = (outbox: Outbox, id: string): string | undefined => outbox.find(id)?.client_id;
