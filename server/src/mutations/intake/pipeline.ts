import type { MutationResult } from '@tailgate/sync-protocol';
import { isCollision } from '../../db/sqlstate.ts';
import type { Db } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { BatchContext, BatchResult } from '../apply/batch.ts';
import { applyBatch, laneOf, scopeOf } from '../apply/batch.ts';
import type {
  Change,
  Item,
  Outcome,
  Pipeline,
  PushAnswer,
  Queue,
  ReportChange,
  ReportOutcome,
  RouteCommit,
} from '../change.ts';
import type { Answer } from '../apply/fold.ts';
import { itemOfChange, itemOfReport, itemsOfPush } from '../item.ts';
import { Lanes } from './lanes.ts';
import type { Rules } from '../apply/load.ts';
import { shownReason } from '../../stops/shown-reason.ts';
import type { Wakeups } from '../jobs/wakeups.ts';
import { logChange, type CommitWatch, type SettledChange } from './watch.ts';

/** A storm drains a tenth faster than with 128. 512 gain nothing and hold their locks longer (docs/performance.md). */
export const BATCH_SIZE = 256;
/** Items of one lane in a batch: several lanes share each batch. */
const TURN = 32;
/** Two batches are nearly twice as fast as one: while one waits for the disk, the other computes. */
const BATCHES_IN_FLIGHT = 2;
/**
 * Fewer items wait for the open batch and share the next one: a commit costs as much as half a dozen taps. More items
 * fill a batch of their own and need not wait for the disk.
 */
const MIN_WAITING_FOR_SECOND_BATCH = 12;
/** After this time the next batch starts beside an open one. */
const MAX_WAIT_MS = 20;
/** Waiting items above which pushes wait: enough to fill the next batches. */
const ROOM = 4 * BATCH_SIZE;
/** The same in characters of their JSON: an item may have a million. Parsed, they take a few times that. */
const ROOM_CHARACTERS = 32 * 1024 * 1024;
/** The worker and the import lock a route for a moment only. */
const LOCKED_ROUTE_RETRY_MS = 4;
const COLLISION_RETRIES = 6;

/** The timers and randomness of the pipeline. Simulations pass their own. */
export interface Pauses {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Runs `work` once after `ms`. @returns a function that cancels it */
  after(ms: number, work: () => void): () => void;
  /** From 0 to below 1. */
  random(): number;
}

const machinePauses: Pauses = {
  now: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

export interface PipelineOptions {
  /** A pipelined pool of its own, so that readers do not make commits wait for a connection. */
  readonly db: Db;
  readonly wakeups: Wakeups;
  readonly rules: () => Rules;
  readonly clock: () => Date;
  readonly log: Log;
  readonly watch?: CommitWatch | undefined;
  /** Defaults to the machine's own timers. */
  readonly pauses?: Pauses;
  /** Characters of waiting items above which pushes wait. */
  readonly roomCharacters?: number;
}

export function openPipeline(options: PipelineOptions): Pipeline {
  return new GroupCommit(options);
}

interface Unit {
  readonly item: Item;
  readonly lane: string;
  readonly scope: string | null;
  /** In ms of `performance.now()`. */
  readonly takenAt: number;
  settle(answer: Answer): void;
  fail(error: unknown): void;
}

class GroupCommit implements Pipeline {
  readonly #options: PipelineOptions;
  readonly #context: BatchContext;
  readonly #pauses: Pauses;
  readonly #lanes = new Lanes<Unit>();
  readonly #lockedScopes = new Set<string>();
  readonly #forked = new WeakSet<object>();
  readonly #listeners = new Set<(commits: readonly RouteCommit[]) => void>();
  readonly #open = new Set<Promise<void>>();
  readonly #waitingForRoom: (() => void)[] = [];
  readonly #waitingForCalm: (() => void)[] = [];
  #unanswered = 0;
  #unansweredCharacters = 0;
  #scheduled = false;
  /** The start of the latest batch, by the clock of the pauses. */
  #begunAt = 0;
  #stopWaiting: (() => void) | undefined;
  #closed = false;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#pauses = options.pauses ?? machinePauses;
    this.#context = { db: options.db, rules: options.rules, wakeups: options.wakeups, forked: this.#forked };
  }

  submit(change: Change): Promise<Outcome> {
    return this.#submit(itemOfChange(change), (outcome) => (outcome.result === 'reported' ? undefined : outcome));
  }

  submitReport(change: ReportChange): Promise<ReportOutcome> {
    return this.#submit(itemOfReport(change), (outcome) =>
      outcome.result === 'reported' || outcome.result === 'quarantined' ? outcome : undefined,
    );
  }

  release(item: Item): Promise<Outcome | ReportOutcome> {
    return this.#submit(item, (outcome) => outcome);
  }

  #submit<Kind>(item: Item, kindOf: (outcome: Outcome | ReportOutcome) => Kind | undefined): Promise<Kind> {
    return new Promise((resolve, reject) => {
      const settle = (answer: Answer): void => {
        const outcome = answer.kind === 'done' ? kindOf(answer.outcome) : undefined;
        if (outcome === undefined) reject(new Error('a change without a queue cannot be out of step'));
        else resolve(outcome);
      };
      this.#enqueue([unitOf(item, settle, reject)]);
    });
  }

  async push(queue: Queue, raw: readonly unknown[]): Promise<PushAnswer> {
    const items = itemsOfPush(queue, raw, this.#options.clock());
    if (items.length === 0) return { last_seq: 0, results: [] };
    return new Promise((resolve, reject) => {
      const push = new PushInProgress(items, resolve, reject);
      this.#enqueue(items.map((item) => unitOf(item, (answer) => push.answered(item, answer), reject)));
    });
  }

  waitForCapacity(): Promise<void> {
    if (this.#room > 0 && this.#waitingForRoom.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waitingForRoom.push(resolve));
  }

  get isBusy(): boolean {
    return !this.#closed && this.#unanswered >= MIN_WAITING_FOR_SECOND_BATCH;
  }

  whenCalm(): Promise<void> {
    if (!this.isBusy) return Promise.resolve();
    return new Promise((resolve) => this.#waitingForCalm.push(resolve));
  }

  onCommit(listener: (commits: readonly RouteCommit[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopWaiting?.();
    for (const unit of this.#lanes.drain()) unit.fail(stopping());
    for (const resolve of [...this.#waitingForRoom.splice(0), ...this.#waitingForCalm.splice(0)]) resolve();
    await Promise.allSettled(this.#open);
  }

  #enqueue(units: readonly Unit[]): void {
    if (this.#closed) {
      for (const unit of units) unit.fail(stopping());
      return;
    }
    this.#unanswered += units.length;
    this.#unansweredCharacters += charactersOf(units);
    this.#lanes.add(units);
    this.#schedule();
  }

  /** Items that may still come. */
  get #room(): number {
    const { roomCharacters = ROOM_CHARACTERS } = this.#options;
    return this.#unansweredCharacters < roomCharacters ? ROOM - this.#unanswered : 0;
  }

  #answered(units: readonly Unit[]): void {
    this.#unanswered -= units.length;
    this.#unansweredCharacters -= charactersOf(units);
    this.#admit();
    if (!this.isBusy) for (const resolve of this.#waitingForCalm.splice(0)) resolve();
  }

  /**
   * Admits as many waiting pushes as there is room for. A caller that still needs its place enqueues before the next
   * turn of the event loop.
   */
  #admit(): void {
    const free = Math.ceil(this.#room / TURN);
    const admitted = this.#waitingForRoom.splice(0, Math.max(free, 0));
    for (const resolve of admitted) resolve();
    // Some callers enqueue nothing (an invalid frame, a closed connection), so no answer would admit the next ones.
    if (admitted.length > 0 && this.#waitingForRoom.length > 0) setImmediate(() => this.#admit());
  }

  /** Waits for the end of this turn of the event loop, so that all items of the turn share the batch. */
  #schedule(): void {
    if (this.#scheduled || this.#lanes.empty) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#mayBegin()) {
        const batch = this.#lanes.nextBatch(BATCH_SIZE, TURN, (scope) => this.#lockedScopes.has(scope));
        if (batch.length === 0) return;
        this.#begunAt = this.#pauses.now();
        const running = this.#run(batch).finally(() => {
          this.#open.delete(running);
          this.#lanes.release(batch);
          this.#schedule();
        });
        this.#open.add(running);
      }
    });
  }

  #mayBegin(): boolean {
    if (this.#open.size === 0) return true;
    if (this.#open.size >= BATCHES_IN_FLIGHT || this.#lanes.empty) return false;
    if (this.#lanes.size >= MIN_WAITING_FOR_SECOND_BATCH || this.#pauses.now() - this.#begunAt >= MAX_WAIT_MS)
      return true;
    this.#stopWaiting ??= this.#pauses.after(MAX_WAIT_MS, () => {
      this.#stopWaiting = undefined;
      this.#schedule();
    });
    return false;
  }

  async #run(batch: readonly Unit[]): Promise<void> {
    const unitOfItem = new Map(batch.map((unit) => [unit.item, unit]));
    const waiting = new Set(batch);
    let begunAt = performance.now();
    const committed = ({ answers, commits, lockedScopes }: BatchResult, items: readonly Item[]): void => {
      const settled: SettledChange[] = [];
      const answered: Unit[] = [];
      if (lockedScopes.size > 0) this.#delayLockedRoutes(lockedScopes);
      // The feed first, because a client may read it right after its answer.
      if (commits.length > 0) for (const listener of this.#listeners) listener(commits);
      for (const [index, item] of items.entries()) {
        const unit = unitOfItem.get(item);
        const answer = answers[index];
        if (!unit || !answer) continue;
        if (answer.kind === 'fork' && item.queued) this.#forked.add(item.queued.queue.session);
        waiting.delete(unit);
        answered.push(unit);
        unit.settle(answer);
        settled.push({ item, answer, takenAt: unit.takenAt });
      }
      this.#answered(answered);
      // Logs and figures follow after the answers, so that no client waits for them.
      this.#report(settled, begunAt);
      begunAt = performance.now();
    };
    try {
      await this.#withRetries(() =>
        applyBatch(
          this.#context,
          batch.filter((unit) => waiting.has(unit)).map(({ item }) => item),
          committed,
        ),
      );
      if (this.#closed && waiting.size > 0) throw stopping();
      this.#lanes.putBack([...waiting]);
    } catch (error) {
      this.#options.log.warn({ err: error, items: waiting.size }, 'a batch failed; its senders send the items again');
      for (const unit of waiting) unit.fail(error);
      this.#options.watch?.failed(waiting.size);
      this.#answered([...waiting]);
    }
  }

  #report(changes: readonly SettledChange[], begunAt: number): void {
    const { log, watch } = this.#options;
    for (const change of changes) logChange(log, change);
    if (changes.length > 0) watch?.settled({ changes, begunAt, endedAt: performance.now() });
  }

  async #withRetries(work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isCollision(error) || attempt > COLLISION_RETRIES) throw error;
        const pauseMs = this.#pauses.random() * 5 * 2 ** attempt;
        await new Promise<void>((resolve) => this.#pauses.after(pauseMs, resolve));
      }
    }
  }

  #delayLockedRoutes(scopes: ReadonlySet<string>): void {
    for (const scope of scopes) this.#lockedScopes.add(scope);
    this.#pauses.after(LOCKED_ROUTE_RETRY_MS, () => {
      for (const scope of scopes) this.#lockedScopes.delete(scope);
      this.#schedule();
    });
  }
}

const charactersOf = (units: readonly Unit[]): number => units.reduce((sum, { item }) => sum + item.body.length, 0);

const stopping = () => new Error('the server is stopping');

const unitOf = (item: Item, settle: Unit['settle'], fail: Unit['fail']): Unit => ({
  item,
  lane: laneOf(item),
  scope: scopeOf(item),
  takenAt: performance.now(),
  settle,
  fail,
});

/** A push of a queue that the database does not have, such as after a restore. The client must say hello again. */
export class UnknownQueue extends Error {
  constructor() {
    super('the database does not know this queue');
    this.name = 'UnknownQueue';
  }
}

/** Collects the answers of one push. Items behind a gap or a fork get no answer, and the client sends them again. */
class PushInProgress {
  readonly #items: readonly Item[];
  readonly #resolve: (answer: PushAnswer) => void;
  readonly #reject: (error: Error) => void;
  readonly #results: MutationResult[] = [];
  #left: number;
  #lastSeq = 0;
  #hasGap = false;
  #fork: number | undefined;

  constructor(items: readonly Item[], resolve: (answer: PushAnswer) => void, reject: (error: Error) => void) {
    this.#items = items;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#left = items.length;
  }

  answered(item: Item, answer: Answer): void {
    if (answer.kind === 'unknown') return this.#reject(new UnknownQueue());
    this.#lastSeq = Math.max(this.#lastSeq, answer.lastSeq);
    if (answer.kind === 'done') this.#results.push(mutationResult(item, item.queued?.seq ?? 0, answer.outcome));
    else if (answer.kind === 'gap') this.#hasGap = true;
    else this.#fork ??= answer.at;
    if (--this.#left === 0) this.#finish();
  }

  #finish(): void {
    const order = new Map(this.#items.map(({ id }, index) => [id, index]));
    this.#results.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
    const answer = { last_seq: this.#lastSeq, results: this.#results };
    this.#resolve({
      ...answer,
      // A later item of the push may have filled the gap in part.
      ...(this.#hasGap ? { wants: this.#lastSeq + 1 } : {}),
      ...(this.#fork === undefined ? {} : { fork: this.#fork }),
    });
  }
}

/** The answer of a queue's item as the frame `ack` carries it. */
function mutationResult({ id }: Pick<Item, 'id'>, seq: number, outcome: Outcome | ReportOutcome): MutationResult {
  if (outcome.result === 'quarantined') {
    const { result, code, details } = outcome;
    return { seq, id, result, code, reason: shownReason(outcome), details: [...details] };
  }
  const warnings = outcome.warnings.length > 0 ? { warnings: [...outcome.warnings] } : {};
  if (outcome.result === 'reported')
    return { seq, id, result: outcome.duplicate ? 'duplicate' : 'applied', ...warnings };
  const { result, version, status } = outcome;
  return { seq, id, result, version, status, ...warnings };
}
