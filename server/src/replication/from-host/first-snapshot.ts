import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Log } from '../../runtime/log.ts';
import { readLoaded } from './first-load.ts';
import { LoadProgress, type LoadProgressOptions } from './load-progress.ts';

export interface FirstSnapshotOptions extends LoadProgressOptions {
  readonly log: Log;
  readonly pollSeconds: number;
  /** IMPORT_ROUTES_PER_MINUTE; undefined: as fast as the host answers. */
  readonly routesPerMinute?: number | undefined;
}

/**
 * The comparison of all routes after a start, in batches. Routes that the mirror has come at once, so that a restart delays
 * nothing; new ones come at the pace of the setting, and changes have their turn in between. A start after a kill goes on
 * with the routes that are left, because each loaded route is in the mirror.
 */
export class FirstSnapshot {
  readonly #options: FirstSnapshotOptions;
  readonly #progress: LoadProgress;
  /** New routes that are not loaded yet; undefined before the first batch is complete. */
  #left: readonly RouteKey[] | undefined;
  /** What is left after the present batch. */
  #leftAfter: readonly RouteKey[] = [];
  #batchAt = -Infinity;

  constructor(options: FirstSnapshotOptions) {
    this.#options = options;
    this.#progress = new LoadProgress(options);
  }

  /** Routes are left that come at the pace of the setting. */
  get isLoading(): boolean {
    return this.#left !== undefined && this.#left.length > 0;
  }

  /** Scopes of the new routes behind the present batch. */
  get later(): ReadonlySet<string> {
    return new Set(this.#leftAfter.map(routeScope));
  }

  /** Milliseconds until the next batch; infinite where none is left. */
  get nextIn(): number {
    if (!this.isLoading) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#batchAt + this.#batchMs - this.#options.clock().getTime());
  }

  /** The routes of the next batch; the same ones again until `complete` is called. @param list all routes of the host */
  async next(list: () => Promise<RouteKey[]>): Promise<readonly RouteKey[]> {
    if (this.#left === undefined) return this.#firstBatch(await list());
    const batch = this.nextIn > 0 ? [] : this.#left.slice(0, this.#batchSize);
    this.#leftAfter = this.#left.slice(batch.length);
    return batch;
  }

  /** A route is in the mirror, or stays out for good. */
  loaded(scope: string): Promise<void> {
    return this.#progress.loaded(scope);
  }

  /** The batch is imported. */
  async complete(): Promise<void> {
    const { log, clock } = this.#options;
    if (this.#left !== undefined && this.#left.length === this.#leftAfter.length) return;
    this.#left = this.#leftAfter;
    this.#batchAt = clock().getTime();
    if (this.#options.routesPerMinute !== undefined)
      log.info({ left: this.#left.length }, 'routes that are new on the host are loaded at the pace of the setting');
    await this.#progress.note();
  }

  async #firstBatch(all: readonly RouteKey[]): Promise<readonly RouteKey[]> {
    this.#leftAfter = [];
    const known = await readLoaded(this.#options.db);
    const fresh = all.filter((key) => !known.has(routeScope(key)));
    await this.#progress.begin(fresh);
    if (this.#options.routesPerMinute === undefined) return all;
    this.#leftAfter = fresh.slice(this.#batchSize);
    return [...all.filter((key) => known.has(routeScope(key))), ...fresh.slice(0, this.#batchSize)];
  }

  get #batchSize(): number {
    const { routesPerMinute = Number.POSITIVE_INFINITY, pollSeconds } = this.#options;
    return Math.max(1, Math.floor((routesPerMinute * pollSeconds) / 60));
  }

  /** The time that a batch takes at the pace of the setting. */
  get #batchMs(): number {
    return (this.#batchSize / (this.#options.routesPerMinute ?? 0)) * 60_000;
  }
}
