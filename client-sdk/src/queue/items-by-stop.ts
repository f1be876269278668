import type { Scope } from '@tailgate/sync-protocol';
import type { QueueItem, Target } from './item.ts';

/** The place of items without a stop. */
const noStop: Target = { scope: '', stop: 0 };

/**
 * Items of one kind, by route and stop. A tap touches one stop, and its cost must not grow with the items of other
 * stops.
 */
export class ItemsByStop {
  readonly #accepts: (item: QueueItem) => boolean;
  readonly #scopes = new Map<Scope, Map<number, Set<QueueItem>>>();

  /** @param accepts whether an item is of the kind */
  constructor(accepts: (item: QueueItem) => boolean) {
    this.#accepts = accepts;
  }

  /** Adds, moves or removes an item by its present state: call it after each change of the item. */
  place(item: QueueItem): void {
    if (!this.#accepts(item)) return this.forget(item);
    const { scope, stop } = item.target ?? noStop;
    const stops = this.#scopes.get(scope) ?? new Map<number, Set<QueueItem>>();
    this.#scopes.set(scope, stops.set(stop, (stops.get(stop) ?? new Set()).add(item)));
  }

  forget(item: QueueItem): void {
    const { scope, stop } = item.target ?? noStop;
    const stops = this.#scopes.get(scope);
    const items = stops?.get(stop);
    items?.delete(item);
    if (items?.size === 0) stops?.delete(stop);
    if (stops?.size === 0) this.#scopes.delete(scope);
  }

  get scopes(): Scope[] {
    return [...this.#scopes.keys()];
  }

  /** Items of a scope, stop by stop. */
  *of(scope: Scope): Generator<QueueItem> {
    for (const items of this.#scopes.get(scope)?.values() ?? []) yield* items;
  }

  *all(): Generator<QueueItem> {
    for (const scope of this.scopes) yield* this.of(scope);
  }

  ofStop(scope: Scope, stop: number): Iterable<QueueItem> {
    return this.#scopes.get(scope)?.get(stop) ?? [];
  }
}
