import type { Cursor, ReferenceCode, Scope } from '@tailgate/sync-protocol';
import { clientScope, codesScope, headerDocument, isClientScope, isRouteScope } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import type { EventHub, Told } from '../engine/events.ts';
import type { QueueItem, Step, Target } from '../queue/item.ts';
import { afterReview, withConflicts } from '../queue/item.ts';
import type { ItemsByStop } from '../queue/items-by-stop.ts';
import type { Account } from '../session/accounts.ts';
import type { Journal } from '../store/journal.ts';
import type { Watch } from '../platform/watch.ts';
import { Signal } from '../platform/watch.ts';
import type { HeldStops } from './known.ts';
import type { LocalRoute } from './local-route.ts';
import { isCode } from './documents.ts';
import { RouteModel, stopsOf } from './local-route.ts';
import type { Patch, Refusal } from './scope-state.ts';
import { forgetScope, ScopeState } from './scope-state.ts';
import { isContained, standingAt } from './standing.ts';

/** Documents of a `client:` scope: this and the id of the mutation. */
const reviewPrefix = 'quarantine/';

/** The outbox as the replica sees it. */
export interface Unfinished {
  readonly unfinished: Pick<ItemsByStop, 'of' | 'ofStop'>;
  readonly notable: Pick<ItemsByStop, 'ofStop'>;
  readonly recorded: Pick<ItemsByStop, 'ofStop'>;
  owns(clientId: string): boolean;
  advance(moves: ReadonlyMap<QueueItem, Step>): Promise<void>;
  find(id: string): QueueItem | undefined;
}

export interface ReplicaDeps {
  readonly journal: Journal;
  readonly environment: Pick<Environment, 'clock'>;
  readonly outbox: Unfinished;
  readonly events: EventHub;
  readonly held: HeldStops;
  /** Whose routes the feed brings: those of who works with the device. */
  readonly driver: Watch<Account | undefined>;
}

/** The documents that this device holds, and the views of them. Readable without a network from the first sync on. */
export class Replica {
  readonly #deps: ReplicaDeps;
  /** What this device holds. */
  readonly scopes: Map<Scope, ScopeState>;
  /** Code lists, in the order of `sort`. */
  readonly codes = new Signal<readonly ReferenceCode[]>([]);
  readonly #routes = new Map<Scope, RouteModel>();

  constructor(scopes: Map<Scope, ScopeState>, deps: ReplicaDeps) {
    this.scopes = scopes;
    this.#deps = deps;
    this.#refreshCodes();
    // An older app wrote down no more than the documents.
    this.#hold();
    // A route may be here before it is the driver's.
    deps.driver.subscribe(() => this.#hold());
  }

  /** Writes down which stops of their routes the driver at work has on this device. */
  #hold(): void {
    this.#deps.held.take(this.#deps.driver.current, this.scopes);
  }

  cursor(scope: Scope): Cursor | null {
    return this.scopes.get(scope)?.cursor ?? null;
  }

  epochOf(scope = ''): string | null {
    return this.scopes.get(scope)?.standing?.epoch ?? null;
  }

  /** The server lives this epoch now: what we hold of another one is shown, and compared with nothing (I9). */
  enterEpoch(epoch: string): void {
    for (const state of this.scopes.values()) state.enterEpoch(epoch);
  }

  route(scope: Scope): Watch<LocalRoute | undefined> {
    return this.#model(scope).signal;
  }

  /** The latest edit that the view of a stop contains (ms since 1970): what is recorded now was made on top of it. */
  latestEdit(target: Target | undefined): number {
    return target ? this.#model(target.scope).latestEdit(target.stop) : 0;
  }

  /**
   * Takes news of a scope in, whole or not at all, and what they mean for the changes of this device. The app is told of
   * amendments when everything shows.
   */
  apply(patch: Patch): 'applied' | Refusal {
    const state = this.#state(patch.scope);
    // What the office changes is told against what is shown: what the disk held counts, whether anybody looked or not.
    if (isRouteScope(patch.scope)) this.#model(patch.scope);
    const applied = state.apply(patch);
    if (typeof applied === 'string') return applied;
    const { changed } = applied;
    // The feed can be asked again: what it brings need not wait for the disk, nor the disk be forced.
    void this.#deps.journal.commit(applied.rows, 'relaxed');
    this.#hold();
    // Views first: what the changes become alters no view that already holds them, so nothing fires twice.
    const told = this.#show(patch.scope, changed, patch.from === null);
    if (isClientScope(patch.scope)) this.review(this.#reviewed(changed));
    this.#settle(state);
    for (const each of told) this.#deps.events.emit(each);
    return 'applied';
  }

  /** These items were recorded, merged or answered. */
  changed(items: readonly QueueItem[]): void {
    this.#refresh(items);
    this.review(items);
    // The feed may be ahead of the answer: items that were answered after their documents had come.
    const scopes = new Set(items.map((item) => (item.progress.at === 'accepted' ? item.target?.scope : undefined)));
    for (const scope of scopes) this.#settle(this.scopes.get(scope ?? ''));
  }

  #refresh(items: readonly QueueItem[]): void {
    for (const [scope, model] of this.#routes) {
      const touched = items.flatMap(({ target }) => (target?.scope === scope ? target.stop : []));
      if (touched.length > 0) model.refresh(new Set(touched));
    }
  }

  /** What the office has made of changes that it had for review. Its word may have come before the answer to the push. */
  review(items: Iterable<QueueItem>): void {
    const moves = new Map<QueueItem, Step>();
    for (const item of items) {
      const { client_id, mutation, progress, target } = item;
      const document = this.scopes.get(clientScope(client_id))?.documents.get(`${reviewPrefix}${mutation.id}`);
      const next = afterReview(
        progress,
        document?.value,
        this.epochOf(target?.scope),
        this.#deps.environment.clock.now(),
      );
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
    this.#routes.get(scope)?.signal.set(undefined);
    this.#routes.delete(scope);
  }

  #state(scope: Scope): ScopeState {
    const state = this.scopes.get(scope) ?? new ScopeState(scope);
    this.scopes.set(scope, state);
    return state;
  }

  #model(scope: Scope): RouteModel {
    const known = this.#routes.get(scope);
    if (known) return known;
    const model = new RouteModel(this.#state(scope), {
      stopException: (code) => this.#stopException(code),
      outbox: this.#deps.outbox,
    });
    this.#routes.set(scope, model);
    model.refresh();
    return model;
  }

  /** What the documents at hand make of the changes of this device; finds conflicts whose winning values are here now. */
  #settle(state: ScopeState | undefined): void {
    if (!state?.standing) return;
    const { scope, standing } = state;
    const moves = new Map<QueueItem, Step>();
    for (const item of this.#deps.outbox.unfinished.of(scope)) {
      const { target } = item;
      let { progress } = item;
      let notes: Step | undefined;
      if (progress.at === 'accepted' && progress.superseded.length > 0 && target && isContained(item, standing)) {
        notes = withConflicts(this.#model(scope).conflictsOf(item, target.stop, progress.superseded));
        progress = { ...progress, superseded: [] };
      }
      progress = standingAt(progress, target, standing, this.#deps.environment.clock.now()) ?? progress;
      if (progress !== item.progress) moves.set(item, { ...notes, progress });
    }
    void this.#deps.outbox.advance(moves);
  }

  #show(scope: Scope, changed: ReadonlySet<string>, whole: boolean): Told[] {
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
