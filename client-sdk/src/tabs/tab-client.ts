import type { AssignedRoute, Json, ReferenceCode, RouteKey } from '@tailgate/sync-protocol';
import type { Author, Client, Driver, LocalClient } from '../client.ts';
import type { Withdrawal } from '../engine/sync-engine.ts';
import type { Diagnostics } from '../engine/diagnostics.ts';
import type { ClientEvents, Conflict } from '../engine/events.ts';
import { EventHub } from '../engine/events.ts';
import type { ReviewedChange } from '../engine/inbox.ts';
import { Closed, messageOf, Unreachable } from '../platform/errors.ts';
import { readItem } from '../queue/item.ts';
import type { Draft, SkipInput, StopInput } from '../queue/record.ts';
import type { Receipt } from '../queue/receipt.ts';
import type { LocalRoute } from '../replica/local-route.ts';
import type { ExportedQueue } from '../rescue/exported-queue.ts';
import type { SignInInput, SignInResult } from '../session/auth-calls.ts';
import type { Status } from '../engine/status.ts';
import type { StopDraft, StopHandle } from '../stop-handle.ts';
import { routeDraft, stopHandle } from '../stop-handle.ts';
import { retryMs } from '../store/journal.ts';
import type { Store } from '../store/store.ts';
import type { UploadsPart } from '../upload-port.ts';
import type { Watch } from '../platform/watch.ts';
import { follow, select, Signal } from '../platform/watch.ts';
import { FollowerTab } from './follower-tab.ts';
import { LeaderTab } from './leader-tab.ts';
import type { Message } from './tab-bus.ts';
import { TabBus } from './tab-bus.ts';

/** Another page of this origin has the same store open, and does not answer this one or does not end its client. */
export class StoreInUse extends Error {
  constructor(name: string) {
    super(`another page has the store ${name} open and does not answer: close or reload it`);
    this.name = 'StoreInUse';
  }
}

export interface TabDeps {
  readonly name: string;
  readonly locks: LockManager;
  /** How long the leading page may be silent while this one opens, or save its changes while it closes; ms. */
  readonly patienceMs: number;
  /** Opens the store and runs the client; only the leading page calls it. */
  readonly start: () => Promise<LocalClient>;
  readonly store: Store;
  /** Files that this page stores; the leading page sends them. */
  readonly uploads: UploadsPart | undefined;
}

/**
 * The client of one page among several. The page with the lock runs the one client (one store, one sender); the others
 * read and record through it. When that page ends, the platform passes the lock on, and the next page opens the store.
 *
 *   waits for the lock ── the leader answers ──► follower ── gets the lock ──► leader
 *          └────────────── gets the lock ────────────────────────────────────────┘
 */
export class TabClient implements Client {
  readonly status: Watch<Status>;
  readonly driver: Watch<Driver | undefined>;
  readonly routes: Watch<readonly AssignedRoute[]>;
  readonly review: Watch<readonly ReviewedChange[]>;
  readonly conflicts: Watch<readonly Conflict[]>;
  readonly #deps: TabDeps;
  readonly #events = new EventHub();
  readonly #bus: TabBus;
  readonly #follower: FollowerTab;
  readonly #client: Signal<Client>;
  readonly #leaving = new AbortController();
  #leader: LeaderTab | undefined;
  #local: LocalClient | undefined;
  #release: () => void = () => {};
  #leading: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  private constructor(deps: TabDeps) {
    this.#deps = deps;
    this.#bus = new TabBus(deps.name, (message) => this.#take(message));
    this.#follower = new FollowerTab(this.#bus, this.#events);
    this.#client = new Signal<Client>(this.#follower);
    this.status = this.#of((client) => client.status);
    this.driver = this.#of((client) => client.driver);
    this.routes = this.#of((client) => client.routes);
    this.review = this.#of((client) => client.review);
    this.conflicts = this.#of((client) => client.conflicts);
    this.#events.onListener = () => {
      if (this.#local) this.#local.pages.inbox.offerAgain();
      else this.#bus.post({ type: 'listens' });
    };
  }

  /** Resolves when this page leads, or has received the leader's values. @throws StoreInUse */
  static async open(deps: TabDeps): Promise<TabClient> {
    const client = new TabClient(deps);
    const leads = client.#awaitLock();
    client.#bus.post({ type: 'arrived' });
    try {
      const opened = Promise.race([leads, client.#follower.shown]);
      await inTime(opened, deps.patienceMs, () => new StoreInUse(deps.name));
      if (!client.#leader) await client.#readIds();
    } catch (error) {
      await client.close();
      throw error;
    }
    return client;
  }

  async signIn(input: SignInInput): Promise<SignInResult> {
    return this.#open.signIn(input);
  }

  async signUp(employeeId: string, password: string, invitation?: string): Promise<SignInResult> {
    return this.#open.signUp(employeeId, password, invitation);
  }

  /** For the driver of this moment: when the call is repeated, another one may be signed in. */
  signOut(by = this.#author()): Promise<boolean> {
    return this.#untilAnswered((client) => client.signOut(by));
  }

  #author(): Pick<Author, 'employee'> | undefined {
    const { current } = this.driver;
    return current && { employee: current.employeeId };
  }

  canSignOut(): boolean {
    return this.#client.current.canSignOut();
  }

  dayComplete(): boolean {
    return this.#client.current.dayComplete();
  }

  syncNow(): void {
    this.#client.current.syncNow();
  }

  exportQueues(): Promise<readonly ExportedQueue[]> {
    return this.#untilAnswered((client) => client.exportQueues());
  }

  diagnostics(): Promise<Diagnostics> {
    return this.#client.current.diagnostics();
  }

  route(key?: RouteKey): Watch<LocalRoute | undefined> {
    return this.#of((client) => client.route(key));
  }

  stop(id: number, key?: RouteKey): StopHandle {
    return stopHandle(this, id, key);
  }

  routeDraft(key?: RouteKey): StopDraft {
    return routeDraft(this, key);
  }

  codes(type: ReferenceCode['type']): Watch<readonly ReferenceCode[]> {
    return this.#of((client) => client.codes(type));
  }

  updateStop(route: RouteKey, stop: StopInput, by?: Author): Receipt {
    return this.#recorded(this.#open.updateStop(route, stop, by));
  }

  skipStop(route: RouteKey, stopId: number, fields: SkipInput, by?: Author): Receipt {
    return this.#recorded(this.#open.skipStop(route, stopId, fields, by));
  }

  record(draft: Draft, by?: Author): Receipt {
    return this.#recorded(this.#open.record(draft, by));
  }

  #recorded(receipt: Receipt): Receipt {
    this.#leader?.recorded(receipt);
    return receipt;
  }

  markSeen(route: RouteKey, stop: number): Promise<void> {
    return this.#untilAnswered((client) => client.markSeen(route, stop));
  }

  /** For the driver of this moment, also where another page is signed in before a new leader has it. */
  setDraft(
    route: RouteKey | undefined,
    stop: number | undefined,
    draft: Json | undefined,
    by = this.#author(),
  ): Promise<void> {
    return this.#untilAnswered((client) => client.setDraft(route, stop, draft, by));
  }

  receipt(id: string): Receipt | undefined {
    return (this.#local && this.#follower.ownReceipt(id)) ?? this.#client.current.receipt(id);
  }

  now(): number {
    return this.#client.current.now();
  }

  async acknowledge(id: string): Promise<boolean> {
    return this.#open.acknowledge(id);
  }

  withdraw(id: string): Promise<Withdrawal> {
    return this.#untilAnswered((client) => client.withdraw(id));
  }

  /** Repeats a call where the leading page has closed before its answer: the next one has the stored rows. */
  async #untilAnswered<Value>(call: (client: Client) => Promise<Value>): Promise<Value> {
    for (;;)
      try {
        return await call(this.#open);
      } catch (error) {
        if (!(error instanceof Unreachable) || this.#closing) throw error;
      }
  }

  on<Name extends keyof ClientEvents>(name: Name, listener: (event: ClientEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    try {
      // The page still waits for the lock: where the leading one ends, it leads, and saves its changes itself.
      await inTime(this.#follower.saved, this.#deps.patienceMs, () => new Unreachable('changes are in memory only'));
    } catch (error) {
      // It stays open: its end would lose them.
      this.#closing = undefined;
      throw error;
    }
    this.#leaving.abort();
    await this.#leading.catch(() => {});
    await this.#follower.close();
    this.#leader?.close();
    await this.#closeStores();
    this.#bus.close();
    this.#release();
  }

  async #closeStores(): Promise<void> {
    const { store, uploads } = this.#deps;
    if (this.#local) return this.#local.close();
    await uploads?.stop();
    await store.close();
  }

  /** Ids that were recorded before this page opened, so that their receipts can be requested. */
  async #readIds(): Promise<void> {
    for (const { value } of await this.#deps.store.readAll('item')) {
      const item = readItem(value);
      if (item) this.#follower.registerId(item.mutation.id);
    }
  }

  /** A value of the current client; retains its identity where a change of leader alters nothing. */
  #of<Value>(pick: (client: Client) => Watch<Value>): Watch<Value> {
    return select(follow(this.#client, pick), (value) => value);
  }

  /** The client, for a call that changes something. */
  get #open(): Client {
    if (this.#closing) throw new Closed();
    return this.#client.current;
  }

  #take(message: Message): void {
    // A page repeats to the next leader what a leaving one does not answer.
    if (this.#leader && this.#leaving.signal.aborted) return;
    if (this.#leader) this.#leader.take(message);
    else this.#follower.take(message);
  }

  /**
   * Resolves when this page leads; it has the lock until it closes or crashes. A page that cannot open the store releases
   * the lock to another, and requests it again: this rejects after the first failure, since the page may be opening.
   */
  #awaitLock(failures = 0): Promise<void> {
    const { locks, name } = this.#deps;
    const { signal } = this.#leaving;
    return new Promise((leads, refused) => {
      const lead = (): Promise<void> => {
        if (signal.aborted) return Promise.resolve();
        this.#leading = this.#lead();
        this.#leading.then(leads, (error: unknown) => {
          this.#release();
          refused(error instanceof Error ? error : new Error(String(error)));
          this.#follower.cannotLead(messageOf(error));
          const again = setTimeout(() => void this.#awaitLock(failures + 1).catch(() => {}), retryMs(failures));
          signal.addEventListener('abort', () => clearTimeout(again));
        });
        return new Promise((release) => (this.#release = release));
      };
      locks.request(lockOf(name), { signal }, lead).catch((error: unknown) => {
        if (!signal.aborted) refused(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  async #lead(): Promise<void> {
    const client = await this.#deps.start();
    this.#local = client;
    client.pages.events.relay = (named) => {
      this.#bus.post({ type: 'emits', event: named });
      return this.#events.emit(named);
    };
    this.#follower.handOver(client);
    this.#leader = new LeaderTab(client, this.#bus);
    this.#client.set(client);
    client.pages.inbox.offerAgain();
  }
}

/** Resolves when `done` does; rejects with `late` where that takes longer than `ms`. */
async function inTime(done: Promise<unknown>, ms: number, late: () => Error): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(late()), ms)));
  try {
    await Promise.race([done, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `work` under the lock of the leading page: no page runs a client of this store meanwhile. */
export async function withoutClient<Result>(
  { name, locks, patienceMs }: Pick<TabDeps, 'name' | 'locks' | 'patienceMs'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new StoreInUse(name)), patienceMs);
  try {
    return await locks.request(lockOf(name), { signal: over.signal }, work);
  } finally {
    clearTimeout(timer);
  }
}

/** The lock of the page that runs the client. */
const lockOf = (name: string): string => `tailgate:${name}`;
