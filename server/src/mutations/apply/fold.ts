import { randomUUID } from 'node:crypto';
import type { LoadConditionReport, RouteKey, Scope, StopResult, Warning } from '@tailgate/sync-protocol';
import { ReportFold } from '../../reports/rules.ts';
import type { RouteFacts } from '../../routes/header.ts';
import { newEvidence } from '../../stops/named-assets.ts';
import type { StopDecision } from '../../stops/rules.ts';
import type { StopContext } from '../../stops/stop-context.ts';
import { inQueueOrder, newestStampOf } from '../../stops/writers.ts';
import type { CommandMeaning, Fault, Item, Outcome, QueueItem, ReportOutcome } from '../change.ts';
import type { Changes, LedgerEntry } from './changes.ts';
import { decide, latestOf, repeats, resultOf } from './decide.ts';
import { editTimeOf, inServerTime, lagOf, signOutWarnings } from './edit-time.ts';
import { fitsChain, judge, linkOf, type KnownMutation } from './identity.ts';
import { placeOf } from '../item.ts';
import { fault, queueOfUnregistered, idReused, Refusals } from './refusals.ts';
import type { LatestChange, LoadedClient, LoadedRoute, LoadedStop, World } from './world.ts';
import { hasQueue, stopName } from './world.ts';

/** The answer to an item: its outcome, or that its queue is out of step. */
export type Answer =
  | { readonly kind: 'done'; readonly outcome: Outcome | ReportOutcome; readonly lastSeq: number }
  | { readonly kind: 'gap'; readonly lastSeq: number }
  | { readonly kind: 'fork'; readonly at: number; readonly lastSeq: number }
  /** The database has no such queue, or no longer. */
  | { readonly kind: 'unknown'; readonly lastSeq: 0 };

/**
 * Folds a batch of items, in order, over the loaded rows. It does not touch the database: answers and changes are
 * values. `poisoned` are items that PostgreSQL has refused; they go to quarantine. `forked` are sessions with a forked
 * queue: the fold takes none of their later items.
 */
export function foldBatch(
  world: World,
  items: readonly Item[],
  poisoned: ReadonlyMap<Item, Fault>,
  forked: Pick<WeakSet<object>, 'has'>,
): { answers: Answer[]; changes: Changes } {
  const fold = new Fold(world, poisoned, forked);
  const answers = items.map((item) => fold.apply(item));
  return { answers, changes: fold.changes() };
}

interface WorkingStop {
  readonly key: RouteKey;
  readonly scope: Scope;
  readonly stop: number;
  readonly loaded: LoadedStop;
  result: StopResult;
  version: number;
  latest: LatestChange | null;
}

class Fold {
  readonly #world: World;
  readonly #poisoned: ReadonlyMap<Item, Fault>;
  readonly #forkedBefore: Pick<WeakSet<object>, 'has'>;
  readonly #forked = new Set<object>();
  readonly #clients = new Map<string, LoadedClient>();
  readonly #routes = new Map<string, LoadedRoute>();
  readonly #stops = new Map<string, WorkingStop>();
  readonly #reports: ReportFold;
  readonly #known = new Map<string, KnownMutation>();
  readonly #ledger: LedgerEntry[] = [];
  readonly #refusals: Refusals;
  readonly #released: Changes['released'][number][] = [];
  readonly #repeated: Item[] = [];
  readonly #incidents: Changes['incidents'] = [];
  readonly #mails: Changes['mails'] = [];

  constructor(world: World, poisoned: ReadonlyMap<Item, Fault>, forked: Pick<WeakSet<object>, 'has'>) {
    this.#forkedBefore = forked;
    this.#world = world;
    this.#reports = new ReportFold(world.reports);
    this.#refusals = new Refusals(world.refused);
    this.#poisoned = poisoned;
  }

  apply(item: Item): Answer {
    const known = this.#known.get(item.id) ?? this.#world.known.get(item.id);
    const { queued } = item;
    if (!queued) return this.#done(this.#applyChange(item, known), null);

    if (!hasQueue(this.#world, queued.queue)) return { kind: 'unknown', lastSeq: 0 };
    const state = this.#client(queued);
    const { session } = queued.queue;
    if (this.#forked.has(session) || this.#forkedBefore.has(session))
      return { kind: 'fork', at: queued.seq, lastSeq: state.lastSeq };
    const verdict = judge(item, queued, state, known);
    if (verdict.kind === 'gap') return { kind: 'gap', lastSeq: state.lastSeq };
    if (verdict.kind === 'fork') {
      this.#forked.add(session);
      this.#addIncident('queue_forked', item, queued);
      return { kind: 'fork', at: verdict.at, lastSeq: state.lastSeq };
    }
    if (verdict.kind === 'fresh') return this.#done(this.#applyQueued(item, queued, state), queued);
    if (verdict.moves) this.#moveWatermark(item, queued, state, null);
    if (verdict.moves && verdict.kind === 'duplicate') this.#repeated.push(item);
    const outcome =
      verdict.kind === 'duplicate'
        ? this.#repeatAnswer(item, verdict.known)
        : this.#refuse(item, idReused, null, null, null);
    return this.#done(outcome, queued);
  }

  changes(): Changes {
    const touched = [...this.#stops.values()].filter((stop) => stop.version !== stop.loaded.version);
    return {
      stops: touched.map(({ key, scope, stop, version, loaded, result }) => ({
        key,
        scope,
        stop,
        version,
        before: loaded.version,
        result,
        evidence: newEvidence(loaded.result, result),
      })),
      routes: [...this.#routes].flatMap(([scope, after]) => {
        const before = this.#world.routes.get(scope);
        return before && before !== after ? [{ before, after }] : [];
      }),
      clients: [...this.#clients.values()],
      reports: this.#reports.revisions,
      ledger: this.#ledger,
      quarantine: this.#refusals.entries,
      refusedAgain: this.#refusals.repeated,
      released: this.#released,
      repeated: this.#repeated,
      incidents: this.#incidents,
      mails: this.#mails,
    };
  }

  #applyChange(item: Item, known: KnownMutation | undefined): Outcome | ReportOutcome {
    // A refusal is final for a queue, which continues. A REST sender retries because route or stop may exist by now. A
    // route that had no name then may give another text now.
    const isRetry = known?.quarantined && item.source === 'rest' && !item.release;
    const editTime = item.editTime?.getTime() ?? item.receivedAt.getTime();
    if (known && !isRetry && !known.hash.equals(item.hash)) return this.#refuse(item, idReused, null, null, editTime);
    const isDone = known && !known.quarantined;
    const releasedBy = item.release ?? (isRetry ? sentAgain : undefined);
    const outcome =
      known && (isDone || !releasedBy) ? this.#repeatAnswer(item, known) : this.#applyRules(item, editTime, []);
    if (outcome.result === 'quarantined') return outcome;
    const entry = this.#refusals.findOpen(item);
    const { by, note } = releasedBy ?? sentAgain;
    const ids = new Set([...(releasedBy ? [item.id] : []), ...(entry ? [entry.id] : [])]);
    for (const id of ids) this.#released.push({ id, by, note, version: versionOf(outcome) });
    return outcome;
  }

  #applyQueued(item: Item, queued: QueueItem, state: LoadedClient): Outcome | ReportOutcome {
    const warnings: Warning[] = [];
    if (!fitsChain(queued, state)) {
      warnings.push(warn('chain_broken', 'this item does not follow the one that came before it'));
      this.#addIncident('chain_broken', item, queued);
    }
    const editTime = editTimeOf(item, queued, state.lastEditTime);
    warnings.push(...signOutWarnings(queued, editTime, state.signOut));
    this.#moveWatermark(item, queued, state, editTime);
    if (editTime < state.quarantinedUntil && !queued.queue.rescued)
      return this.#refuse(item, queueOfUnregistered, null, null, editTime);
    return this.#applyRules(item, editTime, warnings);
  }

  /** Records an incident for the operators. */
  #addIncident(kind: string, { id }: Item, { queue: { clientId, employee }, seq }: QueueItem): void {
    this.#incidents.push({ kind, clientId, employee, details: JSON.stringify({ id, seq }) });
  }

  #applyRules(item: Item, editTime: number, warnings: readonly Warning[]): Outcome | ReportOutcome {
    const poison = this.#poisoned.get(item);
    const { meaning } = item;
    if (meaning.kind === 'unreadable') return this.#refuse(item, poison ?? meaning.fault, null, null, editTime);
    if (meaning.kind === 'report')
      return poison
        ? this.#refuse(item, poison, null, null, editTime)
        : this.#report(item, meaning.report, editTime, warnings);
    const { route: key, scope, stop: number } = meaning;
    if (poison) return this.#refuse(item, poison, key, number, editTime);

    const route = this.#routes.get(scope) ?? this.#world.routes.get(scope);
    if (!route)
      return this.#refuse(
        item,
        fault('ROUTE_NOT_FOUND', `no route ${key.id} of ${key.facility} in the week ${key.week_end}`),
        key,
        number,
        editTime,
      );
    if (item.actor.kind === 'driver' && !isDriver(route.facts, item.actor.employee))
      return this.#refuse(
        item,
        fault('NOT_ASSIGNED', `employee ${item.actor.employee} was never on route ${key.id}`),
        key,
        number,
        editTime,
      );
    const stop = this.#stop(meaning);
    if (!stop)
      return this.#refuse(
        item,
        fault('STOP_NOT_FOUND', `route ${key.id} has no stop ${number}`),
        key,
        number,
        editTime,
      );
    if (item.dedupeByContent && repeats(item, meaning.command, stop.latest))
      return this.#outcome('duplicate', route, stop, false, []);

    let decision: StopDecision;
    try {
      decision = decide(inServerTime(meaning, lagOf(item)), this.#context(item, route, stop, editTime));
    } catch (error) {
      // A rule that throws is our bug. The quarantine keeps the driver's record, and the queue continues (I5).
      return this.#refuse(
        item,
        fault('INTERNAL', `the rules failed: ${error instanceof Error ? error.message : 'unknown'}`),
        key,
        number,
        editTime,
      );
    }
    return this.#record(item, editTime, route, stop, decision, [...warnings, ...decision.warnings]);
  }

  #record(
    item: Item,
    editTime: number,
    before: LoadedRoute,
    stop: WorkingStop,
    decision: StopDecision,
    warnings: Warning[],
  ): Outcome {
    const { key } = stop;
    let route = before;
    // A timer that closed no route leaves no history.
    if (item.actor.kind === 'timer' && !decision.touched) return this.#outcome('duplicate', route, stop, false, []);
    if (decision.touched) {
      const version = before.version + 1;
      const headerChanged = decision.route !== before.facts;
      const late = before.late + (before.facts.status === 'C' ? 1 : 0);
      route = {
        ...before,
        facts: decision.route,
        version,
        headerVersion: headerChanged ? version : before.headerVersion,
        late,
        unknownLines: before.unknownLines + decision.newUnknown,
        newestStamp: newestStampOf(decision.result, before.newestStamp),
      };
      this.#routes.set(route.scope, route);
      // A forced close changes the route alone, so the feed does not send the stop.
      if (decision.result !== stop.result) {
        stop.result = decision.result;
        stop.version = version;
        stop.latest = latestOf(item);
      }
      if (decision.mail) this.#mails.push({ key, stop: stop.stop, mutation: item.id, paths: item.paths });
    }
    const result = resultOf(item, decision);
    this.#ledger.push({ item, key, stop: stop.stop, version: route.version, editTime, result, warnings });
    this.#known.set(item.id, {
      hash: item.hash,
      version: route.version,
      quarantined: null,
      warnings,
      receivedAt: item.receivedAt,
    });
    return this.#outcome(result, route, stop, decision.changed || route.facts !== before.facts, warnings);
  }

  #report(item: Item, report: LoadConditionReport, editTime: number, warnings: readonly Warning[]): ReportOutcome {
    const { stored, duplicate } = this.#reports.add(report, item.receivedAt);
    if (!duplicate || !item.dedupeByContent) {
      const { id, hash } = item;
      const { revision: version } = stored;
      const result = duplicate ? 'duplicate' : 'applied';
      this.#ledger.push({ item, key: noRoute, stop: 0, version, editTime, result, warnings });
      this.#known.set(id, { hash, version, quarantined: null, warnings, receivedAt: stored.receivedAt });
    }
    return { result: 'reported', duplicate, receivedAt: stored.receivedAt, warnings };
  }

  #outcome(
    result: 'applied' | 'duplicate',
    route: LoadedRoute,
    stop: WorkingStop,
    changed: boolean,
    warnings: readonly Warning[],
  ): Outcome {
    return {
      result,
      version: route.version,
      stopVersion: stop.version,
      status: stop.result.status,
      routeStatus: route.facts.status,
      changed,
      warnings,
    };
  }

  /** A duplicate gets the same answer again and has no effect. */
  #repeatAnswer(item: Item, known: KnownMutation): Outcome | ReportOutcome {
    if (known.quarantined) return { result: 'quarantined', ...known.quarantined };
    const { meaning } = item;
    if (meaning.kind === 'report')
      return { result: 'reported', duplicate: true, receivedAt: known.receivedAt, warnings: known.warnings };
    const stop = meaning.kind === 'command' ? this.#stop(meaning) : undefined;
    const scope = meaning.kind === 'command' ? meaning.scope : '';
    const route = this.#routes.get(scope) ?? this.#world.routes.get(scope);
    const version = known.version ?? 0;
    return {
      result: 'duplicate',
      version,
      stopVersion: stop?.version ?? version,
      status: stop?.result.status ?? 'P',
      routeStatus: route?.facts.status ?? 'O',
      changed: false,
      warnings: known.warnings,
    };
  }

  #refuse(item: Item, why: Fault, key: RouteKey | null, stop: number | null, editTime: number | null): Outcome {
    const { id, hash, queued, receivedAt } = item;
    const state = queued && this.#client(queued);
    const clientVersion = state ? state.version + 1 : 0;
    if (state) this.#clients.set(state.clientId, { ...state, version: clientVersion });
    this.#refusals.add({ quarantineId: randomUUID(), item, fault: why, key, stop, editTime, clientVersion });
    if (why !== idReused) this.#known.set(id, { hash, version: null, quarantined: why, warnings: [], receivedAt });
    return { result: 'quarantined', ...why };
  }

  /** Moves the watermark to this item, also where the item is refused. */
  #moveWatermark(item: Item, queued: QueueItem, state: LoadedClient, editTime: number | null): void {
    this.#clients.set(state.clientId, {
      ...state,
      heard: state.heard || queued.queue.rescued !== true,
      lastSeq: queued.seq,
      lastLink: linkOf(item, queued),
      lastEditTime: editTime ?? state.lastEditTime,
    });
  }

  #done(outcome: Outcome | ReportOutcome, queued: QueueItem | null): Answer {
    return { kind: 'done', outcome, lastSeq: queued ? this.#client(queued).lastSeq : 0 };
  }

  #client({ queue }: QueueItem): LoadedClient {
    const state = this.#clients.get(queue.clientId) ?? this.#world.clients.get(queue.clientId);
    if (!state) throw new Error(`queue ${queue.clientId} is not bound`);
    return state;
  }

  #stop({ route: key, scope, stop: number }: CommandMeaning): WorkingStop | undefined {
    const name = stopName(scope, number);
    const working = this.#stops.get(name);
    if (working) return working;
    const loaded = this.#world.stops.get(name);
    if (!loaded) return undefined;
    const { result, version, latest } = loaded;
    const stop = { key, scope, stop: number, loaded, result, version, latest };
    this.#stops.set(name, stop);
    return stop;
  }

  #context(item: Item, route: LoadedRoute, stop: WorkingStop, at: number): StopContext {
    const { actor } = item;
    const place = placeOf(item);
    const by = actor.kind === 'driver' ? actor.employee : actor.kind === 'office' ? actor.user : '';
    // Without a queue the next route version orders edits of one millisecond.
    const stamp = { at, client: place?.clientId ?? item.source, seq: place?.seq ?? route.version + 1, by };
    return {
      route: route.facts,
      result: place ? inQueueOrder(stop.result, stamp) : stop.result,
      plan: stop.loaded,
      unknownLines: route.unknownLines,
      codes: this.#world.codes,
      actor,
      paths: item.paths,
      stamp,
      receivedAt: item.receivedAt,
      closeMode: this.#world.closeMode,
      timerMs: this.#world.timerMs,
    };
  }
}

/** The key of ledger entries without a route. */
const noRoute: RouteKey = { facility: '', id: '', week_end: '' };

const isDriver = (route: RouteFacts, employee: string): boolean =>
  route.drivers.some((driver) => driver.id === employee);

const warn = (code: Warning['code'], message: string): Warning => ({ code, path: '', message });
const sentAgain = { by: 'sender', note: 'sent again, and applied' };

const versionOf = (outcome: Outcome | ReportOutcome): number | null =>
  outcome.result === 'applied' || outcome.result === 'duplicate' ? outcome.version : null;
