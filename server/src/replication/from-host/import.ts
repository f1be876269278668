import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import { withTransaction } from '../../db/transaction.ts';
import type { Db } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { Pipeline } from '../../mutations/change.ts';
import { addDrift, noDrift, notBegun, type Drift } from './drift.ts';
import { DriftComparison, type WaitingRoute } from './drift-comparison.ts';
import { recordFacilitiesInUtc, zoneOf } from './facility-clocks.ts';
import { reportFaults, reportUnmappedColumns, RouteFaults } from './host-faults.ts';
import { HostStops } from '../to-host/host-stops.ts';
import type { HostChanges } from '../../host/reads/host-changes.ts';
import { Doorbell } from '../../host/reads/doorbell.ts';
import type { Host } from '../../host/host.ts';
import { readRouteRows, type RouteRows } from '../../host/reads/reads.ts';
import type { HostMode } from '../../modes/host-mode.ts';
import type { CellFacilities } from '../../modes/cell-facilities.ts';
import { CurrentModes, modeOf } from '../../modes/modes.ts';
import { Masters } from './import-masters.ts';
import * as sql from './import-sql.ts';
import type { Leases } from '../to-host/lease.ts';
import { keyOf, saveRoute, withdrawRoute } from './mirror-route.ts';
import { OfficeEdits } from './office-edits.ts';
import { RouteChoice } from './route-choice.ts';
import { inheritanceOf, routeImage } from './route-image.ts';
import { FirstSnapshot } from './first-snapshot.ts';
import { RouteDigests } from './route-digests.ts';
import { ROUTE_ROW, type ForeignEdit } from '../to-host/route-pass.ts';
import { noteOtherSystem, withoutResults } from './shadow-import.ts';
import { usableRows } from './usable-rows.ts';
import { editorOf, unchangedRoute, sortChanges, type ChangedRoute, type LastEdit } from './changed-routes.ts';

export type ImportOptions = {
  db: Db;
  host: Host;
  leases: Leases;
  submit: Pipeline['submit'];
  clock: () => Date;
  log: Log;
  pollSeconds: number;
  /** IMPORT_FROM: the first week (YYYYMMDD) whose routes are imported; by default some weeks back. */
  importFrom?: string | undefined;
  /** FACILITIES; undefined: all. */
  facilities?: CellFacilities | undefined;
  /** IMPORT_ROUTES_PER_MINUTE: the pace of routes that are new to the mirror after a start. */
  routesPerMinute?: number | undefined;
  /** By default the doorbell. */
  changes?: HostChanges;
  modes?: CurrentModes;
  /** The same as `stop`, before the import is at hand. */
  stopping?: AbortSignal;
};

/** A route that changed less than this ago may be incomplete: phones must not receive it. */
const IDLE_POLL_MS = 2_000;
/** Continuous typing in a route delays it for the drivers by this at most. */
const MAX_UNSETTLED_MS = 30_000;
/** The wait for a route that a worker writes: it has the lease, mostly for some milliseconds. */
const LEASED_MS = 500;
/** The wait for a file of the host that cannot be read: a person has to correct it. */
const UNREADABLE_MS = 15_000;
/** The wait after an internal error of the host. */
const INTERNAL_ERROR_MS = 5_000;
const MAX_BACKOFF_MS = 30_000;
/** After a complete comparison the import pauses for this many times its duration, to spare the host. */
const PAUSE = 4;

/**
 * The import: host → mirror. At start it compares everything by key (the triggers exist since the library was opened);
 * then the doorbell reports the changes. One importer runs at a time on all nodes; a second one would only repeat its
 * work.
 */
export class HostImport {
  readonly #options: ImportOptions;
  readonly #stops: HostStops;
  readonly #edits: OfficeEdits;
  readonly #changes: HostChanges;
  readonly #digests: RouteDigests;
  readonly #choice: RouteChoice;
  readonly #masters: Masters;
  readonly #modes: CurrentModes;
  readonly #snapshot: FirstSnapshot;
  readonly #comparison: DriftComparison;
  readonly #faults: RouteFaults;
  /** Routes that failed and are tried again, by scope. */
  readonly #waiting = new Map<string, Waiting>();
  /** Passes run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #snapshotDone = false;
  #failures = 0;
  #isStopped = false;

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#stops = new HostStops(options.host);
    this.#changes = options.changes ?? new Doorbell(options.host);
    this.#digests = new RouteDigests(options);
    this.#choice = new RouteChoice(options);
    this.#masters = new Masters(options);
    this.#modes = options.modes ?? new CurrentModes(options.db);
    this.#snapshot = new FirstSnapshot({ ...options, modes: this.#modes });
    this.#edits = new OfficeEdits({ ...options, host: this.#stops });
    this.#faults = new RouteFaults(options);
    this.#comparison = new DriftComparison({
      ...options,
      changes: this.#changes,
      choice: this.#choice,
      digests: this.#digests,
      masters: this.#masters,
      modeOf: (key) => this.#modeOf(key),
      faults: this.#faults,
      waiting: (key) => this.#waiting.get(routeScope(key)),
      isStopped: () => this.#stopped,
      savePlan: async (key, rows) => (await this.#saveRoute(unchangedRoute(key), rows)) !== 'unchanged',
      importEdits: (route, onUnreported) => this.#importEditsOf(route, onUnreported),
    });
  }

  /** Takes the first snapshot, and then follows the doorbell. Resolves behind the first pass. A host that is away delays it. */
  async start(): Promise<void> {
    await this.#poll();
  }

  /** Resolves behind the route in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#last;
  }

  /**
   * Imports the changes of the host until now, without waiting until routes are quiet. @returns false where changes wait
   * for the next pass: a worker has the lease of their route, or another node is importing @throws HostError
   */
  async importNow(): Promise<boolean> {
    return (await this.#pass(0, LEASED_MS)) === Number.POSITIVE_INFINITY;
  }

  /**
   * Compares with the host independently of the doorbell. `routes`: open routes, and others whose rows have changed since
   * the last comparison. `everything`: all routes and the master files. Differences are taken in like any change, and
   * returned. A change with a doorbell line is no drift; rows with unwritten changes are not judged.
   * @throws HostError
   */
  async findDrift(scope: 'routes' | 'everything'): Promise<Drift> {
    const isWhole = scope === 'everything';
    const masters = await this.#whileImporter(notBegun, async () => {
      // A route that has not come yet is no drift.
      if (this.#snapshot.isLoading) return notBegun;
      await this.#withdrawEarlierWeeks();
      if (this.#changes.comparesAll) await this.#importChanges(0);
      return isWhole ? this.#comparison.masters() : noDrift;
    });
    if (!masters.isBegun || (!isWhole && this.#changes.comparesAll)) return masters;
    const keys = isWhole ? await this.#choice.currentRoutes() : await this.#choice.open();
    let found = addDrift(masters, await this.compareRoutes(keys));
    if (isWhole) return found;
    for (const few of await this.#digests.inBatches(await this.#choice.notOpen())) {
      const otherwise = { ...noDrift, unjudged: few };
      found = addDrift(found, await this.#unlessStopped(otherwise, () => this.#comparison.changed(few)));
    }
    return found;
  }

  /** Compares these routes whole. Between two of them other changes have their turn. @throws HostError */
  async compareRoutes(keys: readonly RouteKey[]): Promise<Drift> {
    let found = noDrift;
    for (const key of new Map(keys.map((each) => [routeScope(each), each])).values()) {
      const otherwise = { ...noDrift, unjudged: [key] };
      found = addDrift(found, await this.#unlessStopped(otherwise, () => this.#comparison.routes([key])));
    }
    return found;
  }

  /** Takes in foreign edits of service-owned rows, for the worker that holds these routes' leases. */
  async importEdits(edits: readonly ForeignEdit[]): Promise<void> {
    const { db } = this.#options;
    for (const { key, stop } of edits) await this.#importEdit(key, stop, undefined, await zoneOf(db, key.facility));
  }

  get #stopped(): boolean {
    return this.#isStopped || this.#options.stopping?.aborted === true;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    // The next pass waits for this one, also where it fails.
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #poll(): Promise<void> {
    const { pollSeconds, log } = this.#options;
    let delay = pollSeconds * 1000;
    const start = performance.now();
    try {
      // While another node is importing, that node polls again.
      const nextIn = await this.#pass(IDLE_POLL_MS, Number.POSITIVE_INFINITY);
      const pause = this.#changes.comparesAll ? PAUSE * (performance.now() - start) : 0;
      delay = Math.max(Math.min(delay, nextIn), pause);
      if (this.#failures > 0) log.info({}, 'the import from the host goes on');
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) log.warn({ err: error }, 'the import from the host is interrupted and will try again');
      this.#failures += 1;
      delay = Math.random() * Math.min(MAX_BACKOFF_MS, delay * 2 ** this.#failures);
    }
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#poll(), delay);
  }

  /** Polls the host once. @returns the milliseconds until a change that is left should be tried; `otherwise` as `#whileImporter` */
  async #pass(quietMs: number, otherwise: number): Promise<number> {
    return this.#whileImporter(otherwise, () => this.#importChanges(quietMs));
  }

  /** Works in turn. @returns `otherwise` where another node is importing, which reads the same doorbell */
  #whileImporter<Result>(otherwise: Result, work: () => Promise<Result>): Promise<Result> {
    return this.#inTurn(() =>
      withTransaction(this.#options.db, async (tx) => {
        const { rows } = await tx.query<{ taken: boolean }>(sql.takeImporterLock);
        if (rows[0]?.taken !== true) return otherwise;
        await this.#modes.refresh();
        return work();
      }),
    );
  }

  /** The same, and `otherwise` once the import is stopped. */
  async #unlessStopped<Result>(otherwise: Result, work: () => Promise<Result>): Promise<Result> {
    return this.#stopped ? otherwise : this.#whileImporter(otherwise, work);
  }

  /**
   * Withdraws routes that are still open after their week, before anything is compared: this is no drift. Later changes from
   * phones are accepted and flagged.
   */
  async #withdrawEarlierWeeks(): Promise<void> {
    const { db, clock, log } = this.#options;
    for (const key of await this.#choice.openOfEarlierWeeks()) {
      await withTransaction(db, (tx) => withdrawRoute(tx, key, clock()));
      log.info({ route: routeScope(key) }, 'an open route is withdrawn: its week ended before IMPORT_FROM');
    }
  }

  async #importChanges(quietMs: number): Promise<number> {
    const { changes, unparsable } = await this.#changes.poll();
    const { routes, masters } = sortChanges(changes);
    const handled = [...unparsable, ...masters.sequences];
    if (!this.#snapshotDone) await this.#withdrawEarlierWeeks();
    await this.#masters.take((file) => !this.#snapshotDone || masters.keys.has(file));
    if (this.#snapshotDone) for (const key of await this.#choice.routesShowing(masters)) addRoute(routes, key);
    // The triggers exist since the library was opened: earlier changes need one comparison.
    const known = async () => (await this.#choice.currentRoutes()).filter((key) => this.#modeOf(key) !== 'off');
    for (const key of await this.#snapshot.next(known)) addRoute(routes, key);
    // Those of a batch have no line that would bring them again.
    for (const { key } of this.#waiting.values()) addRoute(routes, key);
    let nextIn = Number.POSITIVE_INFINITY;
    // The first poll reports all routes of the host: new ones wait for their batch.
    const later = this.#changes.comparesAll ? this.#snapshot.later : new Set();
    for (const [scope, route] of routes) {
      if (this.#stopped) return Number.POSITIVE_INFINITY;
      if (later.has(scope)) continue;
      const unsettled = route.newest < quietMs && route.oldest < MAX_UNSETTLED_MS;
      const againIn = unsettled ? quietMs - route.newest : await this.#importRoute(route);
      if (againIn > 0) nextIn = Math.min(nextIn, againIn);
      else {
        handled.push(...route.sequences);
        await this.#snapshot.loaded(scope);
        // A failure before this ends the pass, and nothing else brings a route of a batch again.
        this.#waiting.delete(scope);
      }
    }
    await this.#changes.acknowledge(handled);
    const { db, log } = this.#options;
    if (handled.length > 0 || !this.#snapshotDone) await recordFacilitiesInUtc(db, log);
    this.#snapshotDone = true;
    await this.#snapshot.complete();
    // Last of all: the lines and the batch are complete without the names.
    await this.#masters.takeStrangers();
    return Math.min(nextIn, this.#snapshot.nextIn);
  }

  /** @returns the milliseconds after which the route must be imported again; 0 where it is imported */
  async #importRoute(changed: ChangedRoute): Promise<number> {
    const { key, sequences } = changed;
    const scope = routeScope(key);
    const waiting = this.#waiting.get(scope);
    const now = performance.now();
    if (waiting?.lines === sequences.length && waiting.until > now) return waiting.until - now;
    try {
      const isTaken = await this.#takeRoute(changed);
      this.#faults.forget(key);
      return isTaken ? 0 : LEASED_MS;
    } catch (error) {
      const fault = await this.#faults.report(key, error);
      if (fault.kind === 'faulty') return 0;
      const unreadable = fault.kind === 'unreadable' ? fault.error : undefined;
      const waitMs = unreadable ? UNREADABLE_MS : INTERNAL_ERROR_MS;
      this.#waiting.set(scope, { key, lines: sequences.length, until: now + waitMs, unreadable });
      return waitMs;
    }
  }

  /** @returns false where another process has the lease of the route */
  async #takeRoute(changed: ChangedRoute): Promise<boolean> {
    const { key } = changed;
    const mode = this.#modeOf(key);
    if (mode === 'off' || (await this.#choice.staysOut(key))) return true;
    const rows = await readRouteRows(this.#options.host, key);
    const saved = await this.#saveRoute(changed, rows);
    // First of all: after a failure, another import of these lines would begin the route anew again, and undo what
    // drivers have done since, such as its close.
    await this.#changes.acknowledge(changed.headerDeletions);
    // A new route takes over the service-owned columns with it.
    if ((saved === 'new' && mode === 'live') || rows.header === undefined) return true;
    return this.#importEditsOf(changed);
  }

  #modeOf({ facility }: RouteKey): HostMode {
    return modeOf(this.#modes.current, facility);
  }

  async #saveRoute(changed: ChangedRoute, hostRows: RouteRows) {
    const { db, clock } = this.#options;
    const { rows, faults } = usableRows(hostRows);
    const now = clock();
    const { key } = changed;
    const [before] = (await db.query<{ withdrawn: boolean; reloaded_by: string }>(sql.findRoute, keyOf(key))).rows;
    const known = new Set(before?.reloaded_by.split(' '));
    const again = changed.headerDeletions.some((change) => !known.has(change));
    const reloaded = before !== undefined && (before.withdrawn || (again && rows.header !== undefined));
    const begins = before === undefined || reloaded;
    const zone = await zoneOf(db, key.facility);
    const found = begins ? await inheritanceOf(this.#stops, key, { rows, zone, now }) : new Map<number, never>();
    const plan = routeImage(rows, zone, now);
    const isShadow = this.#modeOf(key) === 'shadow';
    const { image, inheritance } = isShadow ? withoutResults(plan, found) : { image: plan, inheritance: found };
    const saved = await withTransaction(db, (tx) =>
      saveRoute(tx, key, image, { now, reloaded, reloadedBy: changed.headerDeletions, inheritance }),
    );
    await reportFaults(db, faults, key);
    if (begins && image) await reportUnmappedColumns(db, key, image, inheritance);
    return saved;
  }

  /** @returns false where another process has the lease of the route */
  async #importEditsOf({ key, stops, header }: ChangedRoute, onUnreported?: () => void): Promise<boolean> {
    if (stops.size === 0 && header === undefined) return true;
    const { db, leases } = this.#options;
    const lease = await leases.acquire(key);
    if (lease === undefined) return false;
    try {
      const zone = await zoneOf(db, key.facility);
      for (const [stop, lastEdit] of header === undefined ? stops : [...stops, [ROUTE_ROW, header] as const])
        if ((await this.#importEdit(key, stop, lastEdit, zone)) === 'unreported') onUnreported?.();
      return true;
    } finally {
      await leases.release(lease);
    }
  }

  /** @returns whether another program has edited the rows, and whether a line reports that by now */
  async #importEdit(
    key: RouteKey,
    stop: number,
    lastEdit: LastEdit | undefined,
    zone: string,
  ): Promise<'none' | 'reported' | 'unreported'> {
    let isReported = false;
    // The doorbell has author and time, so the edit is not dated by its discovery. It is read after the rows: a clerk may
    // have changed them since the poll, and an earlier line of the stop does not date that.
    const editor = async () => {
      const reported = sortChanges(await this.#changes.pollAgain()).routes.get(routeScope(key));
      const latest = stop === ROUTE_ROW ? reported?.header : reported?.stops.get(stop);
      isReported = latest !== undefined;
      return editorOf(latest ?? lastEdit, this.#options.clock());
    };
    if (this.#modeOf(key) === 'shadow') {
      await noteOtherSystem({ ...this.#options, host: this.#stops }, key, stop);
      return 'none';
    }
    const isEdited = await (stop === ROUTE_ROW
      ? this.#edits.importHeader(key, editor, zone)
      : this.#edits.importStop(key, stop, editor, zone));
    return !isEdited ? 'none' : isReported ? 'reported' : 'unreported';
  }
}

/** A route that failed, and the lines about it at that moment: another line is a reason to try it at once. */
interface Waiting extends WaitingRoute {
  readonly key: RouteKey;
  readonly lines: number;
  /** The time of the next try, by the monotonic clock. */
  readonly until: number;
}

function addRoute(routes: Map<string, ChangedRoute>, key: RouteKey): void {
  const scope = routeScope(key);
  if (!routes.has(scope)) routes.set(scope, unchangedRoute(key));
}
