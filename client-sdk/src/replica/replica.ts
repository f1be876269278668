import type { Cursor, ReferenceCode, Scope } from '@tailgate/sync-protocol';
import { clientScope, codesScope, headerDocument, isClientScope, isRouteScope } from '@tailgate/sync-protocol';
import type { DeviceTime } from '../connection/device-time.ts';
import type { EventHub, NamedEvent } from '../engine/events.ts';
import type { QueueItem, Step, Target } from '../queue/item.ts';
import { afterReview, withConflicts } from '../queue/item.ts';
import type { ItemsByStop } from '../queue/items-by-stop.ts';
import type { StopDrafts } from '../queue/stop-drafts.ts';
import type { Account } from '../session/accounts.ts';
import type { Journal } from '../store/journal.ts';
import type { Watch } from '../platform/watch.ts';
import { Signal } from '../platform/watch.ts';
import type { KnownStops } from './known.ts';
import type { LocalRoute } from './local-route.ts';
import { isCode, isPlan } from './documents.ts';
import { RouteModel, stopsOf } from './local-route.ts';
import type { Patch, Refusal } from './scope-state.ts';
import { forgetScope, ScopeState } from './scope-state.ts';
import { isContained, progressAt } from './progress.ts';
import type { UnseenEdits } from './unseen-edits.ts';

/** Documents of a `client:` scope have this prefix and the id of the mutation. */
const reviewPrefix = 'quarantine/';

/** The part of the outbox that the replica uses. */
export interface ReplicaOutbox {
  readonly unfinished: Pick<ItemsByStop, 'of' | 'ofStop'>;
  readonly notable: Pick<ItemsByStop, 'ofStop'>;
  readonly recorded: Pick<ItemsByStop, 'ofStop'>;
  owns(clientId: string): boolean;
  advance(moves: ReadonlyMap<QueueItem, Step>): Promise<void>;
  find(id: string): QueueItem | undefined;
}

export interface ReplicaDeps {
  readonly journal: Journal;
  readonly time: Pick<DeviceTime, 'stamp'>;
  readonly outbox: ReplicaOutbox;
  readonly events: EventHub;
  readonly knownStops: KnownStops;
  readonly drafts: StopDrafts;
  readonly unseenEdits: UnseenEdits;
  /** The signed-in driver: the feed sends their routes. */
  readonly driver: Watch<Account | undefined>;
}

/** The local documents and their views. Readable without a network after the first sync. */
export class Replica {
  readonly #deps: ReplicaDeps;
  /** The local copies, by scope. */
  readonly scopes: Map<Scope, ScopeState>;
  /** Code lists, in the order of `sort`. */
  readonly codes = new Signal<readonly ReferenceCode[]>([]);
  readonly #routes = new Map<Scope, RouteModel>();
  /** Items whose step in progress alters no view. */
  readonly #quiet = new Set<QueueItem>();

  constructor(scopes: Map<Scope, ScopeState>, deps: ReplicaDeps) {
    this.scopes = scopes;
    this.#deps = deps;
    this.#refreshCodes();
    // An older app stored the documents without this record.
    this.#recordStops();
    let employee = deps.driver.current?.employee;
    deps.driver.subscribe((driver) => {
      // A route may arrive before it is assigned to the driver.
      this.#recordStops();
      // Another driver has other drafts. Each welcome renews the account, and its views stay.
      if (driver?.employee === employee) return;
      employee = driver?.employee;
      for (const model of this.#routes.values()) model.refresh();
    });
    deps.drafts.onChange = ({ scope, stop }) =>
      this.#routes.get(scope)?.refresh(new Set(stop === undefined ? [] : [stop]));
  }

  /** Records which stops of the signed-in driver's routes this device has. */
  #recordStops(): void {
    this.#deps.knownStops.record(this.#deps.driver.current, this.scopes);
  }

  cursor(scope: Scope): Cursor | null {
    return this.scopes.get(scope)?.cursor ?? null;
  }

  epochOf(scope = ''): string | null {
    return this.scopes.get(scope)?.comparableHead?.epoch ?? null;
  }

  /**
   * The server's present epoch: copies of another epoch are shown, but their versions are compared with nothing (I9).
   */
  enterEpoch(epoch: string): void {
    for (const state of this.scopes.values()) state.enterEpoch(epoch);
  }

  route(scope: Scope): Watch<LocalRoute | undefined> {
    return this.#model(scope).signal;
  }

  /** The driver has seen the office's edits of a stop. Resolves when that is on the disk. */
  async seen({ scope, stop }: Target): Promise<void> {
    const stored = this.#deps.unseenEdits.seen({ scope, stop });
    this.#routes.get(scope)?.refresh(new Set([stop]));
    await stored;
  }

  /** Removes scopes that no driver of this device needs. */
  purge(): void {
    this.#deps.unseenEdits.purge(this.#deps.driver.current?.routes.map(({ scope }) => scope) ?? []);
  }

  /** The latest edit in the view of a stop (ms since 1970): a new change is made on top of it. */
  latestEdit(target: Target | undefined): number {
    return target ? this.#model(target.scope).latestEdit(target.stop) : 0;
  }

  /**
   * Applies a patch whole or not at all, and advances the changes that it contains. Emits events once every view is
   * current.
   */
  apply(patch: Patch): 'applied' | Refusal {
    const state = this.#state(patch.scope);
    // Creates the model first: edits are reported against the stored values, even where no view was open.
    if (isRouteScope(patch.scope)) this.#model(patch.scope);
    const applied = state.apply(patch);
    if (typeof applied === 'string') return applied;
    const { changed } = applied;
    // The server can send the feed again: it need not wait for the disk, nor force a flush.
    void this.#deps.journal.commit(applied.rows, 'relaxed');
    if (patch.docs.some(({ value }) => isPlan(value))) this.#recordStops();
    // Views first: the later steps alter no view that already contains them, so no view fires twice.
    const events = this.#show(patch.scope, changed, patch.from === null);
    if (isClientScope(patch.scope)) this.review(this.#reviewed(changed));
    this.#settle(state);
    for (const each of events) this.#deps.events.emit(each);
    return 'applied';
  }

  /** These items were recorded, merged or answered. */
  changed(items: readonly QueueItem[]): void {
    this.#refresh(items);
    this.review(items);
    // The feed may be ahead of the answer: the documents of these items may already be here.
    const scopes = new Set(items.map((item) => (item.progress.at === 'accepted' ? item.target?.scope : undefined)));
    for (const scope of scopes) this.#settle(this.scopes.get(scope ?? ''));
  }

  #refresh(items: readonly QueueItem[]): void {
    for (const [scope, model] of this.#routes) {
      const touched = items.flatMap((item) =>
        item.target?.scope === scope && !this.#quiet.has(item) ? item.target.stop : [],
      );
      if (touched.length > 0) model.refresh(new Set(touched));
    }
  }

  /** Applies the office's review results. A result may arrive before the answer to the push. */
  review(items: Iterable<QueueItem>): void {
    const moves = new Map<QueueItem, Step>();
    for (const item of items) {
      const { client_id, mutation, progress, target } = item;
      const document = this.scopes.get(clientScope(client_id))?.documents.get(`${reviewPrefix}${mutation.id}`);
      const next = afterReview(progress, document?.value, this.epochOf(target?.scope), this.#deps.time.stamp);
      if (next) moves.set(item, next);
    }
    void this.#deps.outbox.advance(moves);
  }

  #reviewed(documents: Iterable<string>): QueueItem[] {
    return [...documents].flatMap((key) => this.#deps.outbox.find(key.slice(reviewPrefix.length)) ?? []);
  }

  forget(scope: Scope): void {
    this.scopes.delete(scope);
    void this.#deps.journal.commit(forgetScope(scope), 'relaxed');
    const model = this.#routes.get(scope);
    if (!model) return;
    // It stays: an app may watch it, and the route may come back.
    model.state = new ScopeState(scope);
    model.refresh();
  }

  #state(scope: Scope): ScopeState {
    const state = this.scopes.get(scope) ?? this.#routes.get(scope)?.state ?? new ScopeState(scope);
    this.scopes.set(scope, state);
    return state;
  }

  #model(scope: Scope): RouteModel {
    const known = this.#routes.get(scope);
    if (known) return known;
    const model = new RouteModel(this.#state(scope), {
      ...this.#deps,
      stopException: (code) => this.#stopException(code),
    });
    this.#routes.set(scope, model);
    model.refresh();
    return model;
  }

  /** Advances this device's changes by the present documents, and finds conflicts whose winning values have arrived. */
  #settle(state: ScopeState | undefined): void {
    if (!state?.comparableHead) return;
    const { scope, comparableHead } = state;
    const moves = new Map<QueueItem, Step>();
    for (const item of this.#deps.outbox.unfinished.of(scope)) {
      const { target } = item;
      let { progress } = item;
      let notes: Step | undefined;
      if (progress.at === 'accepted' && progress.superseded.length > 0 && target && isContained(item, comparableHead)) {
        notes = withConflicts(this.#model(scope).conflictsOf(item, target.stop, progress.superseded));
        progress = { ...progress, superseded: [] };
      }
      progress = progressAt(progress, target, comparableHead, this.#deps.time.stamp) ?? progress;
      if (progress === item.progress) continue;
      moves.set(item, { ...notes, progress });
      // The documents contain it before and after the step.
      if (!notes) this.#quiet.add(item);
    }
    void this.#deps.outbox.advance(moves);
    this.#quiet.clear();
  }

  #show(scope: Scope, changed: ReadonlySet<string>, whole: boolean): NamedEvent[] {
    if (scope === codesScope) this.#refreshCodes();
    if (!isRouteScope(scope)) return [];
    return this.#model(scope).refresh(whole || changed.has(headerDocument) ? undefined : stopsOf(changed));
  }

  #stopException(code: string): string | undefined {
    return this.codes.current.find((each) => each.type === 'stop-exception' && each.code === code)?.stop_type;
  }

  #refreshCodes(): void {
    const documents = this.scopes.get(codesScope)?.documents.values() ?? [];
    const codes = [...documents].map(({ value }) => value).filter(isCode);
    codes.sort((a, b) => a.sort - b.sort || (a.code < b.code ? -1 : 1));
    this.codes.renew(codes);
  }
}
