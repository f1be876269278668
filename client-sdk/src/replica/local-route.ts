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
  lineKey,
  occurrence,
  officeEdits,
  officeSource,
  planDocument,
  resultDocument,
  stopView,
  valueAt,
  writerOf,
} from '@tailgate/sync-protocol';
import type { Conflict, FieldEdit, Told } from '../engine/events.ts';
import type { ChangeWarning, QueueItem } from '../queue/item.ts';
import { openWarnings } from '../queue/item.ts';
import type { ItemsByStop } from '../queue/items-by-stop.ts';
import type { Check } from '../platform/reading.ts';
import { keepEqualParts, Signal } from '../platform/watch.ts';
import { isHeader, isPlan, resultOf } from './documents.ts';
import type { Surroundings } from './intent.ts';
import { applyItem } from './intent.ts';
import type { ScopeState } from './scope-state.ts';
import { isContained } from './standing.ts';

/** A stop as this device knows it: the server's last word with everything on top that was recorded here since. */
export interface LocalStop extends Omit<StopView, LineKind> {
  readonly products: readonly (ProductView & LocalLine)[];
  readonly collections: readonly (CollectionView & LocalLine)[];
  /** How many changes of this stop the server has not answered. */
  readonly pending: number;
  /** Fields that stand as the office wrote them, with its word. */
  readonly amended: readonly OfficeEdit[];
  /** Fields that were recorded here and lost against a later edit, until `acknowledge` of the client says they were seen. */
  readonly conflicts: readonly Conflict[];
  /** What the server remarked of changes that were recorded here, until `acknowledge`; each with the id of its change. */
  readonly warnings: readonly StopWarning[];
  /** Ids of the changes that were recorded here, the oldest first: `receipt` of the client has how far each has come. */
  readonly receipts: readonly string[];
}

/** What a line shows beside its view. */
export interface LocalLine {
  /** Names it among the lines of its stop and kind, for as long as the plan has it; stands in paths, too. */
  readonly key: string;
}

/** A warning of a stop, and the change that it is about. */
export interface StopWarning extends ChangeWarning {
  readonly id: string;
}

/** A route as this device knows it. Parts that did not change keep their identity. */
export interface LocalRoute extends RouteHeader {
  readonly scope: Scope;
  readonly key: RouteKey;
  /** In the order of the plan. */
  readonly stops: readonly LocalStop[];
}

/** A stop as it is shown, and what it was computed of. */
interface Shown {
  readonly view: LocalStop;
  readonly plan: StopPlan;
  readonly result: StopResult;
}

interface RouteDeps {
  readonly stopException: Surroundings['stopException'];
  /** What is unfinished, and what a person has to see, of any queue of this device. */
  readonly outbox: Readonly<Record<'unfinished' | 'notable' | 'recorded', Pick<ItemsByStop, 'ofStop'>>> & {
    /** Whether a queue is one of this device. */
    owns(clientId: string): boolean;
  };
}

/** Keeps the view of one route up to date, stop by stop. */
export class RouteModel {
  readonly signal = new Signal<LocalRoute | undefined>(undefined);
  readonly #state: ScopeState;
  readonly #deps: RouteDeps;
  readonly #stops = new Map<number, Shown>();

  constructor(state: ScopeState, deps: RouteDeps) {
    this.#state = state;
    this.#deps = deps;
  }

  /** Computes these stops anew, or all. @returns what others have changed of what they showed, to be told */
  refresh(stops?: ReadonlySet<number>): Told[] {
    const header = this.#header();
    if (!header) {
      this.signal.set(undefined);
      return [];
    }
    const touched = stops ?? new Set([...this.#stops.keys(), ...stopsOf(this.#state.documents.keys())]);
    const told = [...touched].flatMap((stop) => this.#refreshStop(stop, header.drivers));
    const { facility, id, week_end } = header;
    const key: RouteKey = { facility, id, week_end };
    const ordered = [...this.#stops.values()]
      .map(({ view }) => view)
      .sort((a, b) => a.sequence - b.sequence || a.id - b.id);
    const next: LocalRoute = { ...header, scope: this.#state.scope, key, stops: ordered };
    this.signal.renew(next);
    return told;
  }

  /** The latest edit that the view of a stop contains (ms since 1970): what is recorded now was made on top of it. */
  latestEdit(stop: number): number {
    return Math.max(0, ...(this.#result(stop).by ?? []).map((stamp) => stamp.at));
  }

  /** Fields of an item that lost, with both values; the server's word is already here. */
  conflictsOf(item: QueueItem, stop: number, paths: readonly string[]): Conflict[] {
    const header = this.#header();
    if (!header) return [];
    const said = applyItem({ status: 'P' }, item, this.#around(header.drivers, this.#plan(stop)))?.result;
    return paths.flatMap((path) => {
      const mine = said && valueAt(said, path);
      if (mine === undefined) return [];
      const theirs = valueAt(this.#result(stop), path);
      return { id: item.mutation.id, route: this.#state.scope, stop, path, mine, theirs };
    });
  }

  #refreshStop(stop: number, drivers: RouteHeader['drivers']): Told[] {
    const plan = this.#plan(stop);
    const before = this.#stops.get(stop);
    if (!plan) {
      this.#stops.delete(stop);
      return [];
    }
    const around = this.#around(drivers, plan);
    const { unfinished, notable, recorded } = this.#deps.outbox;
    let result = this.#result(stop);
    let pending = 0;
    for (const item of [...unfinished.ofStop(this.#state.scope, stop)].sort(byEdit)) {
      if (isContained(item, this.#state.standing)) continue;
      result = applyItem(result, item, around)?.result ?? result;
      if (item.progress.at === 'waiting') pending++;
    }
    const amended = officeEdits(result);
    // A queue that drains moves each change through several states, and none of them changes what a stop shows: its few
    // values are compared rather than its many lines made anew.
    const lines =
      before?.plan === plan && saysSame(before.result, result) ? before.view : withKeys(stopView(plan, result));
    const unseen = [...notable.ofStop(this.#state.scope, stop)];
    const conflicts = unseen.flatMap((item) => (item.acknowledged ? [] : (item.conflicts ?? [])));
    const warnings = unseen.flatMap((item) =>
      openWarnings(item).map((warning) => ({ ...warning, id: item.mutation.id })),
    );
    const receipts = [...recorded.ofStop(this.#state.scope, stop)].sort(byEdit).map(({ mutation }) => mutation.id);
    const view: LocalStop = { ...lines, pending, amended, conflicts, warnings, receipts };
    this.#stops.set(stop, { plan, result, view: keepEqualParts(before?.view, view) });
    // Seen for the first time nothing has changed: that it is the office's word stands in the view.
    if (!before) return [];
    const about = { route: this.#state.scope, stop };
    const changed = (isTheirs: (writer: Stamp) => boolean) => changedBy(before.result, result, isTheirs);
    const edits = changed(({ client }) => !notByPhone.includes(client) && !this.#deps.outbox.owns(client));
    return [
      ...changed(isOffice).map((edit): Told => ({ name: 'amendment', event: { ...about, ...edit } })),
      ...(edits.length > 0 ? [{ name: 'edit', event: { ...about, edits } } as const] : []),
    ];
  }

  #around(drivers: RouteHeader['drivers'], plan: Surroundings['plan']): Surroundings {
    return { drivers, stopException: this.#deps.stopException, plan };
  }

  #plan(stop: number): StopPlan | undefined {
    return this.#read(planDocument(stop), isPlan);
  }

  #header(): RouteHeader | undefined {
    return this.#read(headerDocument, isHeader);
  }

  #read<Value>(key: string, check: Check<Value>): Value | undefined {
    const value = this.#state.documents.get(key)?.value;
    return check(value) ? value : undefined;
  }

  #result(stop: number): StopResult {
    return resultOf(this.#state.documents.get(resultDocument(stop)));
  }
}

/** Whether two results have the same values, whoever wrote them when: a view shows nothing else of them. */
function saysSame({ by: _, at: __, ...before }: StopResult, { by: _by, at: _at, ...after }: StopResult): boolean {
  return keepEqualParts<object>(before, after) === before;
}

/** What stands in a stamp where neither a phone nor an app of before has written. */
const notByPhone = [officeSource, 'timer'];

/** Fields that these writers have changed. */
function changedBy(before: StopResult, after: StopResult, isTheirs: (writer: Stamp) => boolean): FieldEdit[] {
  if (before === after || !after.by?.some(isTheirs)) return [];
  const [was, edits] = [new Map<string, Json | undefined>(), new Array<FieldEdit>()];
  eachField(before, (path, value) => was.set(path, value));
  eachField(after, (path, value) => {
    const writer = writerOf(after, path);
    const held = was.get(path);
    if (writer && isTheirs(writer) && keepEqualParts(held, value) !== held)
      edits.push({ path, before: held, after: value, by: writer.by, at: writer.at });
  });
  return edits;
}

/** Lines are told apart as the result tells them apart. */
const withKeys = (view: StopView) => ({
  ...view,
  products: keyed(view.products),
  collections: keyed(view.collections),
});

const keyed = <Line extends { readonly id: string; readonly invoice: string }>(lines: readonly Line[]) =>
  lines.map((line, i): Line & LocalLine => ({ ...line, key: lineKey(line.id, line.invoice, occurrence(lines, i)) }));

/** The order of edits. */
const byEdit = (a: QueueItem, b: QueueItem): number => a.edit_time - b.edit_time || a.mutation.seq - b.mutation.seq;

/** The stops that documents of a route are about, by what stands behind the stroke of their keys. */
export const stopsOf = (keys: Iterable<string>): Set<number> =>
  new Set([...keys].flatMap((key) => Number(key.split('/')[1]) || []));
