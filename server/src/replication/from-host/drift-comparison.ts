import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import type { Host } from '../../host/host.ts';
import type { HostChanges } from '../../host/reads/host-changes.ts';
import { readRouteRows, type RouteRows } from '../../host/reads/reads.ts';
import { reportIncident } from '../../incidents/sql.ts';
import type { HostMode } from '../../modes/host-mode.ts';
import type { Log } from '../../runtime/log.ts';
import { sortChanges, unchangedRoute, type ChangedRoute } from './changed-routes.ts';
import { driftOf, type Drift, type RouteComparison } from './drift.ts';
import { reportRouteError } from './host-faults.ts';
import type { Masters } from './import-masters.ts';
import * as sql from './import-sql.ts';
import { keyOf } from './mirror-route.ts';
import type { RouteChoice } from './route-choice.ts';
import type { RouteDigests } from './route-digests.ts';

export interface DriftComparisonOptions {
  readonly db: Db;
  readonly host: Host;
  readonly log: Log;
  readonly changes: HostChanges;
  readonly choice: RouteChoice;
  readonly digests: RouteDigests;
  readonly masters: Masters;
  readonly modeOf: (key: RouteKey) => HostMode;
  /** Brings the plan into the mirror. @returns whether it differs */
  readonly savePlan: (key: RouteKey, rows: RouteRows, renamed: boolean) => Promise<boolean>;
  readonly importEdits: (route: ChangedRoute) => Promise<EditsFound>;
}

/** Foreign edits of a route. `leased`: another process is at its rows, which must be read again. */
export type EditsFound = 'none' | 'imported' | 'leased';

/** Compares with the host what no doorbell line reports, and takes in what differs. An incident reports each difference. */
export class DriftComparison {
  readonly #options: DriftComparisonOptions;

  constructor(options: DriftComparisonOptions) {
    this.#options = options;
  }

  /** The master files, and routes that show a changed name. */
  async masters(): Promise<Drift> {
    const { db, changes, choice, masters } = this.#options;
    const reported = async () => new Set(sortChanges(await changes.pollAgain()).masters.keys.keys());
    const { files, renamed } = await masters.compare(reported);
    for (const file of files) await db.query(reportIncident, ['host_drift', JSON.stringify({ file })]);
    return driftOf(await this.#compare(await choice.routesOfDrivers(renamed), true), files);
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

  async #compare(keys: readonly RouteKey[], renamed = false): Promise<RouteComparison[]> {
    const { db, modeOf } = this.#options;
    const compared: RouteComparison[] = [];
    for (const key of keys) {
      if (modeOf(key) === 'off') continue;
      const { plan, results, isConclusive } = await this.#compareOne(key, renamed);
      compared.push({ key, plan, results, isConclusive });
      const details = JSON.stringify({ route: key, plan, results });
      if (plan || results) await db.query(reportIncident, ['host_drift', details]);
    }
    return compared;
  }

  async #compareOne(key: RouteKey, renamed: boolean): Promise<Omit<RouteComparison, 'key'>> {
    const { host, db, changes, choice, modeOf, savePlan, importEdits } = this.#options;
    const unjudged = { plan: false, results: false, isConclusive: false };
    try {
      const state = async () => (await db.query<RouteState>(sql.loadRouteState, keyOf(key))).rows[0];
      const rows = await readRouteRows(host, key);
      // Read afterwards, so that it includes all that these rows show and a trigger has reported.
      const reported = sortChanges(await changes.pollAgain());
      const routesShowing = await choice.routesShowing(reported.masters);
      if ([...reported.routes.keys(), ...routesShowing.map(routeScope)].includes(routeScope(key))) return unjudged;
      const before = await state();
      const plan = await savePlan(key, rows, renamed);
      // The route is withdrawn now.
      if (rows.header === undefined) return { plan, results: false, isConclusive: true };
      const saved = await state();
      // In shadow no change waits for the host.
      const isPending = saved?.pending === true && modeOf(key) === 'live';
      if (before === undefined || saved === undefined || isPending)
        return { plan, results: false, isConclusive: false };
      const unknownAuthor = { user: '', age: 0 };
      const stops = new Map(rows.stops.map(({ RSSTP }) => [Number(RSSTP), unknownAuthor]));
      const edits = await importEdits({ ...unchangedRoute(key), stops, header: unknownAuthor });
      return { plan, results: edits === 'imported', isConclusive: edits !== 'leased' };
    } catch (error) {
      return { ...unjudged, isConclusive: (await reportRouteError(this.#options, key, error)) === 'faulty' };
    }
  }
}

interface RouteState {
  /** Whether the route has changes that are not on the host. */
  pending: boolean;
}
