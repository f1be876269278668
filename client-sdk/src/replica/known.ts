import type { Scope } from '@tailgate/sync-protocol';
import { refusal } from '../platform/errors.ts';
import type { Target } from '../queue/item.ts';
import { targetOf } from '../queue/item.ts';
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
export interface Known {
  /** The routes that the server has assigned; undefined until it has sent them. */
  readonly assigned: readonly Scope[] | undefined;
  /** The stops of every route that this device has ever stored for the driver. */
  readonly held: Readonly<Record<Scope, readonly number[]>>;
}

const isHeld = fields({ employee: text, scope: text, stops: listOf(number) });
type Held = Read<typeof isHeld>;

/**
 * The stops that this device has ever stored, by route and driver. The record outlives the documents. The server
 * decides about stops that have gone, so work on them is never refused (I6).
 */
export class HeldStops {
  /** By driver and route. */
  readonly #held = new Signal<Readonly<Record<string, Held>>>({});

  readonly #journal: Journal;

  /** @param settings the stored setting rows */
  constructor(settings: readonly Row[], journal: Journal) {
    this.#journal = journal;
    this.#held.set(Object.fromEntries(settings.flatMap(({ key, value }) => (isHeld(value) ? [[key, value]] : []))));
  }

  /**
   * Records the stops of a driver's routes in the replica. The replica may also contain routes of other drivers whose
   * changes drain.
   */
  take(driver: Account | undefined, scopes: ReadonlyMap<Scope, ScopeState>): void {
    if (!driver) return;
    const { employee, routes } = driver;
    for (const { scope } of routes) {
      const state = scopes.get(scope);
      if (!state?.head) continue;
      const key = `held/${employee}/${scope}`;
      const before = this.#held.current[key]?.stops;
      const stops = [...new Set([...(before ?? []), ...stopsOf(state.documents.keys())])];
      if (stops.length === before?.length) continue;
      const value: Held = { employee, scope, stops };
      this.#held.set({ ...this.#held.current, [key]: value });
      void this.#journal.commit([{ put: 'setting', key, value }], 'relaxed');
    }
  }

  /** The `Known` of the driver, as a value to watch. */
  knownOf(account: Watch<Account | undefined>): Watch<Known> {
    return select(
      follow(account, (driver) => select(this.#held, () => this.of(driver))),
      (known) => known,
    );
  }

  of(driver: Account | undefined): Known {
    const held = Object.values(this.#held.current).filter(({ employee }) => employee === driver?.employee);
    return {
      assigned: driver?.routes_known ? driver.routes.map(({ scope }) => scope) : undefined,
      held: Object.fromEntries(held.map(({ scope, stops }) => [scope, stops])),
    };
  }
}

const hasStatus = fields({ stop: fields({ updates: fields({ status: text }) }) });

/**
 * Returns a draft that may be recorded. It rejects stops and routes that this device knows not to exist. Anything that
 * only the server can decide passes.
 *
 * @param stopAt returns the stop as the view shows it now
 * @throws InvalidChange
 */
export function checkKnown(draft: Draft, known: Known, stopAt: (target: Target) => LocalStop | undefined): Draft {
  const { args } = draft;
  const target = targetOf(args);
  if (!target) return draft;
  const { scope, stop } = target;
  const held = known.held[scope];
  if (held && !held.includes(stop))
    throw refusal('stop' in args ? 'id' : 'stop_id', `must be a stop of the route: it has no ${stop}`);
  if (!held && known.assigned && !known.assigned.includes(scope))
    throw refusal('route', 'must be a route of the driver who records');
  const sent = hasStatus(args) ? args.stop.updates.status : 'stop' in args ? undefined : 'S';
  const shown = sent && stopAt(target)?.updates.status;
  // On the server, no stop becomes pending again, and the completed warehouse stop stays completed.
  if (shown && shown !== sent && (sent === 'P' || (shown === 'C' && sent !== 'D')))
    throw refusal('stop' in args ? 'updates.status' : 'status', `must not be ${sent}: the stop is ${shown}`);
  return draft;
}
