import type {
  CollectionView,
  Json,
  LineKind,
  OfficeEdit,
  ProductView,
  RouteHeader,
  RouteKey,
  Scope,
  Stamp,
  StopPlan,
  StopResult,
  StopView,
} from '@tailgate/sync-protocol';
import {
  eachField,
  headerDocument,
  isOffice,
  keyedLines,
  officeEdits,
  officeSource,
  planDocument,
  resultDocument,
  stopView,
  valueAt,
  writerOf,
} from '@tailgate/sync-protocol';
import type { Conflict, FieldEdit, NamedEvent } from '../engine/events.ts';
import type { ChangeWarning, QueueItem } from '../queue/item.ts';
import { byEdit, openWarnings } from '../queue/item.ts';
import type { ItemsByStop } from '../queue/items-by-stop.ts';
import type { Check } from '../platform/reading.ts';
import { keepEqualParts, Signal } from '../platform/watch.ts';
import type { StopDrafts } from '../queue/stop-drafts.ts';
import { hasSameValues, isHeader, isPlan, resultOf } from './documents.ts';
import type { RuleContext } from './intent.ts';
import { applyItem } from './intent.ts';
import type { ScopeState } from './scope-state.ts';
import { isContained } from './progress.ts';
import type { UnseenEdits } from './unseen-edits.ts';

/** A stop in the local view: the server's latest state with the changes recorded here on top. */
export interface LocalStop extends Omit<StopView, LineKind> {
  readonly products: readonly (ProductView & LocalLine & LocalProduct)[];
  readonly collections: readonly (CollectionView & LocalLine)[];
  /** The number of changes of this stop that the server has not answered. */
  readonly pending: number;
  /** Fields whose present value is the office's, with that edit. */
  readonly amended: readonly OfficeEdit[];
  /** Those among them that changed on this device since `seen` was called, with both values. */
  readonly unseen: readonly FieldEdit[];
  /**
   * Fields that were recorded here and lost against a later edit, until the client's `acknowledge` marks them as seen.
   */
  readonly conflicts: readonly Conflict[];
  /** The server's remarks on changes recorded here, until `acknowledge`; each with the id of its change. */
  readonly warnings: readonly StopWarning[];
  /**
   * Ids of the changes that were recorded here, the oldest first; the client's `receipt` returns the progress of each.
   */
  readonly receipts: readonly string[];
  /** The host refuses the stop's row: the office has it, and the driver has nothing to do. */
  readonly parked: boolean;
  /** The signed-in driver's half-filled stop, as the app has last set it; undefined without one. */
  readonly draft: Json | undefined;
}

/** Local members of a line beside its view. */
export interface LocalLine {
  /** Identifies it among the lines of its stop and kind while the plan has it; paths use it, too. */
  readonly key: string;
}

/** A member of the plan that responses of the server omit. */
export interface LocalProduct {
  /** A code of `trailer-area`, or blank. */
  readonly trailer_area: string;
}

/** A warning of a stop, and the change that it is about. */
export interface StopWarning extends ChangeWarning {
  readonly id: string;
}

/** A route in the local view. Unchanged parts retain their identity. */
export interface LocalRoute extends RouteHeader {
  readonly scope: Scope;
  readonly key: RouteKey;
  /** In the order of the plan. */
  readonly stops: readonly LocalStop[];
  /** The signed-in driver's half-filled form for the whole route (`routeDraft`); undefined without one. */
  readonly draft: Json | undefined;
}

/** A stop's view and its inputs. */
interface ComputedStop {
  readonly view: LocalStop;
  readonly plan: StopPlan;
  readonly result: StopResult;
}

interface RouteDeps {
  readonly stopException: RuleContext['stopException'];
  readonly drafts: Pick<StopDrafts, 'of'>;
  readonly unseenEdits: Pick<UnseenEdits, 'add' | 'of'>;
  /** Unfinished items, items that a person has to see, and all items, of every queue of this device. */
  readonly outbox: Readonly<Record<'unfinished' | 'notable' | 'recorded', Pick<ItemsByStop, 'ofStop'>>> & {
    /** Whether a queue belongs to this device. */
    owns(clientId: string): boolean;
  };
}

/** Updates the view of one route, stop by stop. */
export class RouteModel {
  readonly signal = new Signal<LocalRoute | undefined>(undefined);
  /** The local copy; another one where the route has ended here and comes back. */
  state: ScopeState;
  readonly #deps: RouteDeps;
  readonly #stops = new Map<number, ComputedStop>();

  constructor(state: ScopeState, deps: RouteDeps) {
    this.state = state;
    this.#deps = deps;
  }

  /** Computes the given stops anew, or all. @returns events for changes that others made to shown values */
  refresh(stops?: ReadonlySet<number>): NamedEvent[] {
    const header = this.#header();
    if (!header) {
      this.#stops.clear();
      this.signal.set(undefined);
      return [];
    }
    const touched = stops ?? new Set([...this.#stops.keys(), ...stopsOf(this.state.documents.keys())]);
    const events = [...touched].flatMap((stop) => this.#refreshStop(stop, header.drivers));
    const { facility, id, week_end } = header;
    const key: RouteKey = { facility, id, week_end };
    const ordered = [...this.#stops.values()]
      .map(({ view }) => view)
      .sort((a, b) => a.sequence - b.sequence || a.id - b.id);
    const { scope } = this.state;
    const draft = this.#deps.drafts.of({ scope, stop: undefined });
    const next: LocalRoute = { ...header, scope, key, stops: ordered, draft };
    this.signal.renew(next);
    return events;
  }

  /** The latest edit in the view of a stop (ms since 1970): a new change is made on top of it. */
  latestEdit(stop: number): number {
    return Math.max(0, ...(this.#result(stop).by ?? []).map((stamp) => stamp.at));
  }

  /** Lost fields of an item, with both values; the server's value has already arrived. */
  conflictsOf(item: QueueItem, stop: number, paths: readonly string[]): Conflict[] {
    const header = this.#header();
    if (!header) return [];
    const own = applyItem({ status: 'P' }, item, this.#context(header.drivers, this.#plan(stop)))?.result;
    return paths.flatMap((path) => {
      const mine = own && valueAt(own, path);
      if (mine === undefined) return [];
      const theirs = valueAt(this.#result(stop), path);
      return { id: item.mutation.id, route: this.state.scope, stop, path, mine, theirs };
    });
  }

  #refreshStop(stop: number, drivers: RouteHeader['drivers']): NamedEvent[] {
    const plan = this.#plan(stop);
    const before = this.#stops.get(stop);
    if (!plan) {
      this.#stops.delete(stop);
      return [];
    }
    const context = this.#context(drivers, plan);
    const { unfinished, notable, recorded } = this.#deps.outbox;
    let result = this.#result(stop, before?.result);
    let pending = 0;
    for (const item of [...unfinished.ofStop(this.state.scope, stop)].sort(byEdit)) {
      if (isContained(item, this.state.comparableHead)) continue;
      result = applyItem(result, item, context)?.result ?? result;
      if (item.progress.at === 'waiting') pending++;
    }
    // Equal parts retain their identity: the view of a line is compared by its result.
    result = keepEqualParts(before?.result, result);
    const amended = officeEdits(result);
    // A draining queue moves each change through several states without effect on the view. Comparing the few values of
    // the result is cheaper than computing all lines anew.
    const lines =
      before?.plan === plan && hasSameValues(before.result, result)
        ? before.view
        : withKeys(stopView(plan, result), plan, (kind, key) =>
            before?.plan === plan && before.result[kind]?.[key] === result[kind]?.[key] ? before.view : undefined,
          );
    const noted = [...notable.ofStop(this.state.scope, stop)];
    const conflicts = noted.flatMap((item) => (item.acknowledged ? [] : (item.conflicts ?? [])));
    const warnings = noted.flatMap((item) =>
      openWarnings(item).map((warning) => ({ ...warning, id: item.mutation.id })),
    );
    const receipts = [...recorded.ofStop(this.state.scope, stop)].sort(byEdit).map(({ mutation }) => mutation.id);
    const target = { scope: this.state.scope, stop };
    const draft = this.#deps.drafts.of(target);
    const changed = (isTheirs: (writer: Stamp) => boolean) =>
      before ? changedBy(before.result, result, isTheirs) : [];
    const amendments = changed(isOffice);
    if (amendments.length > 0) this.#deps.unseenEdits.add(target, amendments);
    const unseen = this.#deps.unseenEdits.of(target).filter(({ path }) => amended.some((edit) => edit.path === path));
    const parked = this.state.head?.parked.includes(stop) ?? false;
    const view: LocalStop = { ...lines, pending, amended, unseen, conflicts, warnings, receipts, parked, draft };
    this.#stops.set(stop, { plan, result, view: keepEqualParts(before?.view, view) });
    // The first view of a stop raises no event: its `amended` already shows the office's fields.
    if (!before) return [];
    const about = { route: this.state.scope, stop };
    const edits = changed(({ client }) => !notByPhone.includes(client) && !this.#deps.outbox.owns(client));
    return [
      ...amendments.map((edit): NamedEvent => ({ name: 'amendment', event: { ...about, ...edit } })),
      ...(edits.length > 0 ? [{ name: 'edit', event: { ...about, edits } } as const] : []),
    ];
  }

  #context(drivers: RouteHeader['drivers'], plan: RuleContext['plan']): RuleContext {
    return { drivers, stopException: this.#deps.stopException, plan };
  }

  #plan(stop: number): StopPlan | undefined {
    return this.#read(planDocument(stop), isPlan);
  }

  #header(): RouteHeader | undefined {
    return this.#read(headerDocument, isHeader);
  }

  #read<Value>(key: string, check: Check<Value>): Value | undefined {
    const value = this.state.documents.get(key)?.value;
    return check(value) ? value : undefined;
  }

  #result(stop: number, shown?: StopResult): StopResult {
    return resultOf(this.state.documents.get(resultDocument(stop)), shown);
  }
}

/** Sources of stamps that are neither a phone nor the earlier app. */
const notByPhone = [officeSource, 'timer'];

/** Fields that these writers have changed. */
function changedBy(before: StopResult, after: StopResult, isTheirs: (writer: Stamp) => boolean): FieldEdit[] {
  if (before === after || !after.by?.some(isTheirs)) return [];
  const [was, edits] = [new Map<string, Json | undefined>(), new Array<FieldEdit>()];
  eachField(before, (path, value) => was.set(path, value));
  eachField(after, (path, value) => {
    const writer = writerOf(after, path);
    const earlier = was.get(path);
    if (writer && isTheirs(writer) && keepEqualParts(earlier, value) !== earlier)
      edits.push({ path, before: earlier, after: value, by: writer.by, at: writer.at });
  });
  return edits;
}

/**
 * Adds the keys by which results identify lines.
 *
 * @param knownView the former view, where it shows the same result of a line
 */
const withKeys = (
  view: StopView,
  plan: StopPlan,
  knownView: (kind: LineKind, key: string) => LocalStop | undefined,
) => ({
  ...view,
  products: keyedLines(view.products).map(({ line, key }, i) => {
    const { trailer_area = '' } = plan.products[i] ?? {};
    return knownView('products', key)?.products[i] ?? { ...line, key, trailer_area };
  }),
  collections: keyedLines(view.collections).map(
    ({ line, key }, i) => knownView('collections', key)?.collections[i] ?? { ...line, key },
  ),
});

/** The stop numbers of a route's documents: the part of each key after the slash. */
export const stopsOf = (keys: Iterable<string>): Set<number> =>
  new Set([...keys].flatMap((key) => Number(key.slice(key.indexOf('/') + 1)) || []));
