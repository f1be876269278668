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

/** What a device knows of the routes of one driver. */
export interface Known {
  /** Their routes as the server has named them; undefined until it has. */
  readonly assigned: readonly Scope[] | undefined;
  /** The stops of every route that this device has ever held for them. */
  readonly held: Readonly<Record<Scope, readonly number[]>>;
}

const isHeld = fields({ employee: text, scope: text, stops: listOf(number) });
type Held = Read<typeof isHeld>;

/**
 * Which stops of which routes this device has ever held for which driver. It outlives the documents: what has become of
 * such a stop is the server's to say, and work on it is never refused (I6).
 */
export class HeldStops {
  /** By driver and route. */
  readonly #held = new Signal<Readonly<Record<string, Held>>>({});

  readonly #journal: Journal;

  /** @param settings as they were stored */
  constructor(settings: readonly Row[], journal: Journal) {
    this.#journal = journal;
    this.#held.set(Object.fromEntries(settings.flatMap(({ key, value }) => (isHeld(value) ? [[key, value]] : []))));
  }

  /**
   * Writes down what this device holds of the routes of a driver. It may hold a route of another driver besides, whose changes
   * drain.
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

  /** What is known for a driver. */
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
 * Gives a draft back that may be recorded. What this device knows not to be there is refused; what only the server can
 * know is not.
 *
 * @param stopAt how a stop shows now, where it does
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
  // The server lets no stop become pending again, and the warehouse stay complete.
  if (shown && shown !== sent && (sent === 'P' || (shown === 'C' && sent !== 'D')))
    throw refusal('stop' in args ? 'updates.status' : 'status', `must not be ${sent}: the stop is ${shown}`);
  return draft;
}
