import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import type { Host } from '../../host/host.ts';
import { importedWeeks } from '../../host/reads/imported-weeks.ts';
import { readLoadableRoutes } from '../../host/reads/loadable-routes.ts';
import { countsOf, readLoaded, sortFirstLoad, type LoadCounts, type LoadRules } from './first-load.ts';
import * as sql from './load-progress-sql.ts';

export interface LoadProgressOptions {
  readonly db: Queryable;
  readonly host: Host;
  readonly clock: () => Date;
  /** IMPORT_FROM */
  readonly importFrom?: string | undefined;
  /** FACILITIES */
  readonly facilities?: LoadRules['facilities'];
  readonly modes: { readonly current: LoadRules['modes'] };
}

/** The time between two notes of one batch. */
const NOTE_MS = 1_000;

/** Notes for the office how many new routes are left, while a start loads them. The mirror is the state itself (decision 177). */
export class LoadProgress {
  readonly #options: LoadProgressOptions;
  readonly #left = new Set<string>();
  #notedAt = -Infinity;

  constructor(options: LoadProgressOptions) {
    this.#options = options;
  }

  /** @param routes that are new to the mirror; without any, a load that was interrupted has ended @throws HostError */
  async begin(routes: readonly RouteKey[]): Promise<void> {
    const { db, host, clock, importFrom, facilities, modes } = this.#options;
    this.#left.clear();
    for (const key of routes) this.#left.add(routeScope(key));
    if (this.#left.size === 0) return this.#end();
    const weeks = importedWeeks(clock(), importFrom);
    const found = sortFirstLoad(await readLoadableRoutes(host, weeks), await readLoaded(db), {
      modes: modes.current,
      facilities,
    });
    await db.query(sql.beginLoad, [clock(), this.#left.size, JSON.stringify(countsOf(found, weeks))]);
    this.#notedAt = clock().getTime();
  }

  /** A route is in the mirror, or stays out for good. */
  async loaded(scope: string): Promise<void> {
    if (!this.#left.has(scope)) return;
    // First, so that the next pass ends the load where this fails.
    if (this.#left.size === 1) await this.#end();
    this.#left.delete(scope);
    if (this.#options.clock().getTime() - this.#notedAt >= NOTE_MS) await this.note();
  }

  /** After a batch. */
  async note(): Promise<void> {
    const { db, clock } = this.#options;
    if (this.#left.size === 0) return;
    this.#notedAt = clock().getTime();
    await db.query(sql.noteLoad, [clock(), this.#left.size]);
  }

  async #end(): Promise<void> {
    await this.#options.db.query(sql.endLoad, [this.#options.clock()]);
  }
}

export interface LoadState {
  readonly startedAt: Date;
  readonly updatedAt: Date;
  readonly endedAt: Date | undefined;
  readonly left: number;
  readonly counts: LoadCounts;
}

/** The latest load of new routes; undefined where there was none since this release. */
export async function readLoadState(db: Queryable): Promise<LoadState | undefined> {
  const { rows } = await db.query<LoadRow>(sql.readLoad);
  return rows.map(({ started_at, updated_at, ended_at, routes_left, counts }) => ({
    startedAt: started_at,
    updatedAt: updated_at,
    endedAt: ended_at ?? undefined,
    left: routes_left,
    counts: readCounts(counts),
  }))[0];
}

type LoadRow = { started_at: Date; updated_at: Date; ended_at: Date | null; routes_left: number; counts: string };
const readCounts: (json: string) => LoadCounts = JSON.parse;
