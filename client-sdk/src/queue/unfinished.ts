import type { Scope } from '@tailgate/sync-protocol';
import type { QueueItem } from './item.ts';
import { isUnfinished } from './item.ts';

/**
 * Items that the host is not known to have, by route and stop: a tap touches one stop, and what it costs must not grow
 * with what waits for the others.
 */
export class UnfinishedItems {
  readonly #scopes = new Map<Scope, Map<number, Set<QueueItem>>>();

  /** Puts an item where it belongs now: call it whenever its progress is another one. */
  place(item: QueueItem): void {
    if (!item.target) return;
    const { scope, stop } = item.target;
    if (!isUnfinished(item)) return this.forget(item);
    const stops = this.#scopes.get(scope) ?? new Map<number, Set<QueueItem>>();
    this.#scopes.set(scope, stops.set(stop, (stops.get(stop) ?? new Set()).add(item)));
  }

  forget(item: QueueItem): void {
    if (!item.target) return;
    const { scope, stop } = item.target;
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

  ofStop(scope: Scope, stop: number): Iterable<QueueItem> {
    return this.#scopes.get(scope)?.get(stop) ?? [];
  }
}
