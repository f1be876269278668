import type { RouteKey } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import type { Host } from '../../host/host.ts';
import { inParts } from '../../host/files/in-parts.ts';
import { readClosedRoutes, type RouteMark } from '../../host/reads/marks.ts';
import * as sql from './polling-sql.ts';

/** A route whose rows have changed since its last comparison, and the mark to save after the next one. */
export interface ChangedRoute {
  readonly key: RouteKey;
  readonly mark: RouteMark;
}

/** Routes that are read together: as many as one poll includes on a polled host. */
const AT_ONCE = 50;

/**
 * Digests of routes that are not open, as of their last comparison with the mirror. With them, comparing the many
 * routes of a week costs no more than reading them (decision 61).
 */
export class RouteDigests {
  readonly #db: Db;
  readonly #host: Host;

  constructor({ db, host }: { readonly db: Db; readonly host: Host }) {
    this.#db = db;
    this.#host = host;
  }

  /** The routes that have changed or were never compared. @throws HostError */
  async changed(keys: readonly RouteKey[]): Promise<ChangedRoute[]> {
    const places = new Map(keys.map((key) => [placeOf(key), key]));
    const { rows } = await this.#db.query<{ place: string; recorded: string }>(sql.loadRouteMarks, [
      [...places.keys()],
    ]);
    const recordedByPlace = new Map(rows.map(({ place, recorded }) => [place, recorded]));
    const seen = await readClosedRoutes(this.#host, [...places.keys()], ['RTHDRP']);
    return seen.flatMap(({ mark }) => {
      const key = places.get(mark.place);
      return key && recordedByPlace.get(mark.place) !== mark.recorded ? [{ key, mark }] : [];
    });
  }

  /** Saves the marks of compared routes. */
  async saveMarks(routes: readonly ChangedRoute[]): Promise<void> {
    if (routes.length > 0)
      await this.#db.query(sql.saveMarks, sql.saveMarks.parameters(routes.map(({ mark }) => mark)));
  }

  /** All of these routes, some at a time. Marks of other routes are deleted. */
  async inBatches(keys: readonly RouteKey[]): Promise<RouteKey[][]> {
    await this.#db.query(sql.deleteOtherRouteMarks, [keys.map(placeOf)]);
    return inParts(keys, AT_ONCE);
  }
}

const placeOf = ({ facility, id, week_end }: RouteKey): string => [facility, id, week_end].join('\t');
