import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import type { Host, HostError } from '../../host/host.ts';
import type { HostChanges } from '../../host/reads/host-changes.ts';
import { readRouteRows, type RouteRows } from '../../host/reads/reads.ts';
import { reportIncident } from '../../incidents/sql.ts';
import type { HostMode } from '../../modes/host-mode.ts';
import { sortChanges, unchangedRoute, type ChangedRoute } from './changed-routes.ts';
import { driftOf, noDrift, type Drift, type RouteComparison } from './drift.ts';
import type { RouteFaults } from './host-faults.ts';
import type { Masters } from './import-masters.ts';
import * as sql from './import-sql.ts';
import { keyOf } from './mirror-route.ts';
import type { RouteChoice } from './route-choice.ts';
import type { RouteDigests } from './route-digests.ts';

export interface DriftComparisonOptions {
  readonly db: Db;
  readonly host: Host;
  readonly changes: HostChanges;
  readonly choice: RouteChoice;
  readonly digests: RouteDigests;
  readonly masters: Masters;
  readonly modeOf: (key: RouteKey) => HostMode;
  readonly faults: RouteFaults;
  /** A route that the import tries again by itself: what it has not taken in yet is no drift. */
  readonly waiting: (key: RouteKey) => WaitingRoute | undefined;
  readonly isStopped: () => boolean;
  /** Brings the plan into the mirror. @returns whether it differs */
  readonly savePlan: (key: RouteKey, rows: RouteRows) => Promise<boolean>;
  /**
   * Takes in foreign edits. @param onUnreported called after each one that no doorbell line dates
   * @returns false where another process is at the rows, which must be read again
   */
  readonly importEdits: (route: ChangedRoute, onUnreported: () => void) => Promise<boolean>;
}

export interface WaitingRoute {
  /** The file that it waits for. */
  readonly unreadable?: HostError | undefined;
}

/** Compares with the host what no doorbell line reports, and takes in what differs. An incident reports each difference. */
export class DriftComparison {
  readonly #options: DriftComparisonOptions;

  constructor(options: DriftComparisonOptions) {
    this.#options = options;
  }

  async masters(): Promise<Drift> {
    const { db, changes, masters } = this.#options;
    const reported = async () => new Set(sortChanges(await changes.pollAgain()).masters.keys.keys());
    const files = await masters.compare(reported);
    for (const file of files) await db.query(reportIncident, ['host_drift', JSON.stringify({ file })]);
    return { ...noDrift, masters: files };
  }

  async routes(keys: readonly RouteKey[]): Promise<Drift> {
    return driftOf(await this.#compare(keys));
  }

  /** Those of these routes whose rows have changed. A route that could not be judged is compared again the next time. */
  async changed(keys: readonly RouteKey[]): Promise<Drift> {
    const { digests } = this.#options;
    const changed = await digests.changed(keys);
    const compared = await this.#compare(changed.map(({ key }) => key));
    const judged = new Set(compared.flatMap(({ key, isConclusive }) => (isConclusive ? [routeScope(key)] : [])));
    await digests.saveMarks(changed.filter(({ key }) => judged.has(routeScope(key))));
    return driftOf(compared);
  }

  async #compare(keys: readonly RouteKey[]): Promise<RouteComparison[]> {
    const { db, modeOf, isStopped, waiting } = this.#options;
    const compared: RouteComparison[] = [];
    for (const key of keys) {
      if (modeOf(key) === 'off') continue;
      const left = isStopped() ? {} : waiting(key);
      const comparison = left ? { ...unjudged, ...left, key } : { key, ...(await this.#compareOne(key)) };
      compared.push(comparison);
      const { plan, results } = comparison;
      const details = JSON.stringify({ route: key, plan, results });
      if (plan || results) await db.query(reportIncident, ['host_drift', details]);
    }
    return compared;
  }

  async #compareOne(key: RouteKey): Promise<Omit<RouteComparison, 'key'>> {
    const { host, db, changes, choice, modeOf, faults, savePlan, importEdits } = this.#options;
    // Taken in by then, also where something fails afterwards: the next comparison finds it no more.
    const found = { plan: false, results: false };
    try {
      const state = async () => (await db.query<RouteState>(sql.loadRouteState, keyOf(key))).rows[0];
      const rows = await readRouteRows(host, key);
      // Read afterwards, so that it includes all that these rows show and a trigger has reported.
      const reported = sortChanges(await changes.pollAgain());
      const routesShowing = await choice.routesShowing(reported.masters);
      if ([...reported.routes.keys(), ...routesShowing.map(routeScope)].includes(routeScope(key))) return unjudged;
      const before = await state();
      found.plan = await savePlan(key, rows);
      // The route is withdrawn now.
      if (rows.header === undefined) return { ...found, isConclusive: true };
      const saved = await state();
      // In shadow no change waits for the host.
      const isPending = saved?.pending === true && modeOf(key) === 'live';
      if (before === undefined || saved === undefined || isPending) return { ...found, isConclusive: false };
      const unknownAuthor = { user: '', age: 0 };
      const stops = new Map(rows.stops.map(({ RSSTP }) => [Number(RSSTP), unknownAuthor]));
      const isConclusive = await importEdits(
        { ...unchangedRoute(key), stops, header: unknownAuthor },
        () => (found.results = true),
      );
      faults.forget(key);
      return { ...found, isConclusive };
    } catch (error) {
      const fault = await faults.report(key, error);
      const unreadable = fault.kind === 'unreadable' ? fault.error : undefined;
      return { ...found, isConclusive: fault.kind === 'faulty', unreadable };
    }
  }
}

const unjudged = { plan: false, results: false, isConclusive: false };

interface RouteState {
  /** Whether the route has changes that are not on the host. */
  pending: boolean;
}
