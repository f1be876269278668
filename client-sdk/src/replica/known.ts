import type { Scope } from '@tailgate/sync-protocol';
import { refusal } from '../platform/errors.ts';
import type { Target } from '../queue/item.ts';
import { statusOf, targetOf } from '../queue/item.ts';
import type { Draft } from '../queue/record.ts';
import type { Account } from '../session/accounts.ts';
import type { Read } from '../platform/reading.ts';
import { fields, listOf, number, text } from '../platform/reading.ts';
import type { Journal } from '../store/journal.ts';
import type { Row } from '../store/store.ts';
import type { Watch } from '../platform/watch.ts';
import { follow, select, Signal } from '../platform/watch.ts';
import type { LocalStop } from './local-route.ts';
import { stopsOf } from './local-route.ts';
import type { ScopeState } from './scope-state.ts';

/** This device's knowledge of the routes of one driver. */
export interface KnownRoutes {
  /** The routes that the server has assigned; undefined until it has sent them. */
  readonly assigned: readonly Scope[] | undefined;
  /** The stops of every route that this device has ever stored for the driver. */
  readonly storedStops: Readonly<Record<Scope, readonly number[]>>;
}

const isStoredRoute = fields({ employee: text, scope: text, stops: listOf(number) });
type StoredRoute = Read<typeof isStoredRoute>;

/**
 * The stops that this device has ever stored, by route and driver. The record outlives the documents. The server
 * decides about stops that have gone, so work on them is never refused (I6).
 */
export class KnownStops {
  /** By driver and route. */
  readonly #routes = new Signal<Readonly<Record<string, StoredRoute>>>({});

  readonly #journal: Journal;

  /** @param settings the stored setting rows */
  constructor(settings: readonly Row[], journal: Journal) {
    this.#journal = journal;
    this.#routes.set(
      Object.fromEntries(settings.flatMap(({ key, value }) => (isStoredRoute(value) ? [[key, value]] : []))),
    );
  }

  /**
   * Records the stops of a driver's routes in the replica. The replica may also contain routes of other drivers whose
   * changes drain.
   */
  record(driver: Account | undefined, scopes: ReadonlyMap<Scope, ScopeState>): void {
    if (!driver) return;
    const { employee, routes } = driver;
    for (const { scope } of routes) {
      const state = scopes.get(scope);
      if (!state?.head) continue;
      const key = `held/${employee}/${scope}`;
      const before = this.#routes.current[key]?.stops;
      const stops = [...new Set([...(before ?? []), ...stopsOf(state.documents.keys())])];
      if (stops.length === before?.length) continue;
      const value: StoredRoute = { employee, scope, stops };
      this.#routes.set({ ...this.#routes.current, [key]: value });
      void this.#journal.commit([{ put: 'setting', key, value }], 'relaxed');
    }
  }

  /** The known routes of the driver, as a value to watch. */
  knownOf(account: Watch<Account | undefined>): Watch<KnownRoutes> {
    return select(
      follow(account, (driver) => select(this.#routes, () => this.of(driver))),
      (known) => known,
    );
  }

  of(driver: Account | undefined): KnownRoutes {
    const own = Object.values(this.#routes.current).filter(({ employee }) => employee === driver?.employee);
    return {
      assigned: driver?.routes_known ? driver.routes.map(({ scope }) => scope) : undefined,
      storedStops: Object.fromEntries(own.map(({ scope, stops }) => [scope, stops])),
    };
  }
}

/**
 * Returns a draft that may be recorded. It rejects stops and routes that do not exist. Anything that
 * only the server can decide passes.
 *
 * @param stopAt returns the stop as the view shows it now
 * @throws InvalidChange
 */
export function checkKnown(draft: Draft, known: KnownRoutes, stopAt: (target: Target) => LocalStop | undefined): Draft {
  const { args } = draft;
  const target = targetOf(args);
  if (!target) return draft;
  const { scope, stop } = target;
  const stops = known.storedStops[scope];
  if (stops && !stops.includes(stop))
    throw refusal('stop' in args ? 'id' : 'stop_id', `must be a stop of the route: it has no ${stop}`);
  if (!stops && known.assigned && !known.assigned.includes(scope))
    throw refusal('route', 'must be a route of the driver who records');
  const sent = statusOf(args);
  const shown = sent && stopAt(target)?.updates.status;
  // On the server, no stop becomes pending again, and the completed warehouse stop stays completed.
  if (shown && shown !== sent && (sent === 'P' || (shown === 'C' && sent !== 'D')))
    throw refusal('stop' in args ? 'updates.status' : 'status', `must not be ${sent}: the stop is ${shown}`);
  return draft;
}
