import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import { withTransaction } from '../../db/transaction.ts';
import type { Db } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { Pipeline } from '../../mutations/change.ts';
import { driftOf, noDrift, addDrift, type RouteComparison, type Drift } from './drift.ts';
import { recordFacilitiesInUtc, zoneOf } from './facility-clocks.ts';
import { isDataFault, reportFaults, reportUnmappedColumns } from './host-faults.ts';
import { HostStops } from '../to-host/host-stops.ts';
import type { HostChanges } from '../../host/reads/host-changes.ts';
import { Doorbell } from '../../host/reads/doorbell.ts';
import type { Host } from '../../host/host.ts';
import { readRouteRows, type RouteRows } from '../../host/reads/reads.ts';
import { reportIncident } from '../../incidents/sql.ts';
import type { HostMode } from '../../modes/host-mode.ts';
import type { CellFacilities } from '../../modes/cell-facilities.ts';
import { CurrentModes, modeOf } from '../../modes/modes.ts';
import { Masters, noNewMasters } from './import-masters.ts';
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
import {
  editorOf,
  unchangedRoute,
  sortChanges,
  type ChangedMasters,
  type ChangedRoute,
  type LastEdit,
} from './changed-routes.ts';

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
};

/** A route that changed less than this ago may be incomplete: phones must not receive it. */
const IDLE_POLL_MS = 2_000;
/** Continuous typing in a route delays it for the drivers by this at most. */
const MAX_UNSETTLED_MS = 30_000;
/** The wait for a route that a worker writes: it has the lease, mostly for some milliseconds. */
const LEASED_MS = 500;
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
  /** Passes run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #snapshotDone = false;
  #failures = 0;
  #stopped = false;

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
  }

  /** Takes the first snapshot and then follows the doorbell. A host that is away delays it. */
  async start(): Promise<void> {
    await this.#poll();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#last;
  }

  /**
   * Imports the changes of the host until now, without waiting until routes are quiet. @returns false where changes wait
   * for the next pass: a worker has the lease of their route, or another node is importing @throws HostError
   */
  async importNow(): Promise<boolean> {
    return (await this.#inTurn(() => this.#pass(0, LEASED_MS))) === Number.POSITIVE_INFINITY;
  }

  /**
   * Compares with the host independently of the doorbell. `routes`: open routes, and others whose rows have changed since
   * the last comparison. `everything`: all routes and the master files. Differences are taken in like any change, and
   * returned. A change with a doorbell line is no drift; rows with unwritten changes are not judged.
   * @throws HostError
   */
  async findDrift(scope: 'routes' | 'everything'): Promise<Drift> {
    // A route that has not come yet is no drift.
    if (this.#snapshot.isLoading) return noDrift;
    const inTurn = (work: () => Promise<Drift>) => this.#inTurn(() => this.#whileImporter(noDrift, work));
    const drift = await inTurn(() => this.#compare(scope));
    if (scope === 'everything' || this.#changes.comparesAll) return drift;
    let found = drift;
    // Lets the doorbell's changes have their turn in between.
    for (const few of await this.#digests.inBatches(await this.#choice.notOpen()))
      found = addDrift(found, await inTurn(() => this.#compareChanged(few)));
    return found;
  }

  /** Takes in foreign edits of service-owned rows, for the worker that holds these routes' leases. */
  async importEdits(edits: readonly ForeignEdit[]): Promise<void> {
    const { db } = this.#options;
    for (const { key, stop } of edits) await this.#importEdit(key, stop, undefined, await zoneOf(db, key.facility));
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
      const nextIn = await this.#inTurn(() => this.#pass(IDLE_POLL_MS, Number.POSITIVE_INFINITY));
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

  /** @returns `otherwise` where another node is importing, which reads the same doorbell */
  async #whileImporter<Result>(otherwise: Result, work: () => Promise<Result>): Promise<Result> {
    return withTransaction(this.#options.db, async (tx) => {
      const { rows } = await tx.query<{ taken: boolean }>(sql.takeImporterLock);
      if (rows[0]?.taken !== true) return otherwise;
      await this.#modes.refresh();
      return work();
    });
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

  async #compare(scope: 'routes' | 'everything'): Promise<Drift> {
    await this.#withdrawEarlierWeeks();
    if (this.#changes.comparesAll) {
      await this.#importChanges(0);
      if (scope === 'routes') return noDrift;
    }
    const masters = scope === 'everything' ? await this.#compareMasters() : noNewMasters;
    const keys = scope === 'everything' ? await this.#choice.currentRoutes() : await this.#choice.open();
    return driftOf(await this.#compareRoutes(keys, masters.renamed), masters.files);
  }

  /** Yields the routes whose rows have changed. A route that could not be judged is compared again the next time. */
  async #compareChanged(keys: readonly RouteKey[]): Promise<Drift> {
    const changed = await this.#digests.changed(keys);
    const compared = await this.#compareRoutes(
      changed.map(({ key }) => key),
      noNewMasters.renamed,
    );
    const judged = new Set(compared.flatMap(({ key, isConclusive }) => (isConclusive ? [routeScope(key)] : [])));
    await this.#digests.saveMarks(changed.filter(({ key }) => judged.has(routeScope(key))));
    return driftOf(compared);
  }

  async #compareRoutes(keys: readonly RouteKey[], renamed: ReadonlySet<string>): Promise<RouteComparison[]> {
    const compared: RouteComparison[] = [];
    for (const [scope, key] of new Map(keys.map((each) => [routeScope(each), each]))) {
      const { plan, results, isConclusive } = await this.#compareRoute(key, renamed.has(scope));
      compared.push({ key, plan, results, isConclusive });
      const details = JSON.stringify({ route: key, plan, results });
      if (plan || results) await this.#options.db.query(reportIncident, ['host_drift', details]);
    }
    return compared;
  }

  async #compareRoute(key: RouteKey, renamed: boolean): Promise<Omit<RouteComparison, 'key'>> {
    const { host, db } = this.#options;
    if (this.#modeOf(key) === 'off') return { plan: false, results: false, isConclusive: false };
    const state = async () => (await db.query<RouteState>(sql.loadRouteState, keyOf(key))).rows[0];
    const rows = await readRouteRows(host, key);
    // Read afterwards, so that it includes all that these rows show and a trigger has reported.
    const reported = sortChanges(await this.#changes.pollAgain());
    const routesShowing = await this.#choice.routesShowing(reported.masters);
    if ([...reported.routes.keys(), ...routesShowing.map(routeScope)].includes(routeScope(key)))
      return { plan: false, results: false, isConclusive: false };
    const before = await state();
    const plan = (await this.#saveRoute(unchangedRoute(key), rows, renamed)) !== 'unchanged';
    const saved = await state();
    if (before === undefined || saved === undefined || saved.pending || rows.header === undefined)
      return { plan, results: false, isConclusive: false };
    const unknownAuthor = { user: '', age: 0 };
    const stops = new Map(rows.stops.map(({ RSSTP }) => [Number(RSSTP), unknownAuthor]));
    const isConclusive = await this.#importEditsOf({ ...unchangedRoute(key), stops, header: unknownAuthor });
    const after = await state();
    const results = after?.version !== saved.version || after.status !== saved.status;
    return { plan, results, isConclusive };
  }

  async #importChanges(quietMs: number): Promise<number> {
    const { changes, unparsable } = await this.#changes.poll();
    const { routes, masters } = sortChanges(changes);
    const handled = [...unparsable, ...masters.sequences];
    if (!this.#snapshotDone) await this.#withdrawEarlierWeeks();
    const renamed = await this.#importMasters(masters);
    const renamedScopes = new Set(renamed.map(routeScope));
    if (this.#snapshotDone) for (const key of await this.#choice.routesShowing(masters)) addRoute(routes, key);
    // The triggers exist since the library was opened: earlier changes need one comparison.
    const known = async () => (await this.#choice.currentRoutes()).filter((key) => this.#modeOf(key) !== 'off');
    for (const key of await this.#snapshot.next(known)) addRoute(routes, key);
    for (const key of renamed) addRoute(routes, key);
    let nextIn = Number.POSITIVE_INFINITY;
    // The first poll reports all routes of the host: new ones wait for their batch.
    const later = this.#changes.comparesAll ? this.#snapshot.later : new Set();
    for (const [scope, route] of routes) {
      if (later.has(scope)) continue;
      const unsettled = route.newest < quietMs && route.oldest < MAX_UNSETTLED_MS;
      if (unsettled) nextIn = Math.min(nextIn, quietMs - route.newest);
      else if (await this.#importRoute(route, renamedScopes.has(scope))) {
        handled.push(...route.sequences);
        await this.#snapshot.loaded(scope);
      } else nextIn = Math.min(nextIn, LEASED_MS);
    }
    for (const key of await this.#choice.routesOfDrivers(await this.#masters.takeStrangers()))
      await this.#importRoute(unchangedRoute(key), true);
    await this.#changes.acknowledge(handled);
    const { db, log } = this.#options;
    if (handled.length > 0 || !this.#snapshotDone) await recordFacilitiesInUtc(db, log);
    this.#snapshotDone = true;
    await this.#snapshot.complete();
    return Math.min(nextIn, this.#snapshot.nextIn);
  }

  async #importMasters({ keys }: ChangedMasters): Promise<RouteKey[]> {
    const renamed = await this.#masters.take((file) => !this.#snapshotDone || keys.has(file));
    return this.#choice.routesOfDrivers(renamed);
  }

  async #compareMasters(): Promise<typeof noNewMasters> {
    const { db } = this.#options;
    const reported = async () => new Set(sortChanges(await this.#changes.pollAgain()).masters.keys.keys());
    const { files, renamed } = await this.#masters.compare(reported);
    for (const file of files) await db.query(reportIncident, ['host_drift', JSON.stringify({ file })]);
    return { files, renamed: new Set((await this.#choice.routesOfDrivers(renamed)).map(routeScope)) };
  }

  /** @returns false where the route must be imported again: its rows are being written */
  async #importRoute(changed: ChangedRoute, renamed: boolean): Promise<boolean> {
    const { host, log } = this.#options;
    const mode = this.#modeOf(changed.key);
    try {
      if (mode === 'off' || (await this.#choice.staysOut(changed.key))) return true;
      const rows = await readRouteRows(host, changed.key);
      const saved = await this.#saveRoute(changed, rows, renamed);
      // First of all: after a failure, another import of these lines would begin the route anew again, and undo what
      // drivers have done since, such as its close.
      await this.#changes.acknowledge(changed.headerDeletions);
      // A new route takes over the service-owned columns with it.
      if ((saved === 'new' && mode === 'live') || rows.header === undefined) return true;
      return await this.#importEditsOf(changed);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      // Another attempt would fail in the same way: the other routes must not wait for a person to examine this one.
      log.error({ err: error, route: routeScope(changed.key) }, 'a route of the host cannot be imported as it is');
      await this.#options.db.query(reportIncident, [
        'route_import_failed',
        JSON.stringify({ route: changed.key, reason: error.message }),
      ]);
      return true;
    }
  }

  #modeOf({ facility }: RouteKey): HostMode {
    return modeOf(this.#modes.current, facility);
  }

  async #saveRoute(changed: ChangedRoute, hostRows: RouteRows, renamed: boolean) {
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
      saveRoute(tx, key, image, { now, reloaded, reloadedBy: changed.headerDeletions, renamed, inheritance }),
    );
    await reportFaults(db, faults, key);
    if (begins && image) await reportUnmappedColumns(db, key, image, inheritance);
    return saved;
  }

  async #importEditsOf({ key, stops, header }: ChangedRoute): Promise<boolean> {
    if (stops.size === 0 && header === undefined) return true;
    const { db, leases } = this.#options;
    const lease = await leases.acquire(key);
    if (lease === undefined) return false;
    try {
      const zone = await zoneOf(db, key.facility);
      for (const [stop, lastEdit] of stops) await this.#importEdit(key, stop, lastEdit, zone);
      if (header !== undefined) await this.#importEdit(key, ROUTE_ROW, header, zone);
      return true;
    } finally {
      await leases.release(lease);
    }
  }

  async #importEdit(key: RouteKey, stop: number, lastEdit: LastEdit | undefined, zone: string): Promise<void> {
    // The doorbell has author and time, so the edit is not dated by its discovery. It is read after the rows: a clerk may
    // have changed them since the poll, and an earlier line of the stop does not date that.
    const editor = async () => {
      const reported = sortChanges(await this.#changes.pollAgain()).routes.get(routeScope(key));
      const latest = stop === ROUTE_ROW ? reported?.header : reported?.stops.get(stop);
      return editorOf(latest ?? lastEdit, this.#options.clock());
    };
    if (this.#modeOf(key) === 'shadow') await noteOtherSystem({ ...this.#options, host: this.#stops }, key, stop);
    else if (stop === ROUTE_ROW) await this.#edits.importHeader(key, editor, zone);
    else await this.#edits.importStop(key, stop, editor, zone);
  }
}

interface RouteState {
  version: number;
  status: 'O' | 'C';
  /** Whether the route has changes that are not on the host. */
  pending: boolean;
}

function addRoute(routes: Map<string, ChangedRoute>, key: RouteKey): void {
  const scope = routeScope(key);
  if (!routes.has(scope)) routes.set(scope, unchangedRoute(key));
}
