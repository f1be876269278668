import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../../../db/types.ts';
import { hostMoment, instantOf } from '../../../host/files/local-time.ts';
import type { Host } from '../../../host/host.ts';
import { Interval } from '../../../runtime/interval.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Leases } from '../lease.ts';
import { acceptedRows, filesOf, type FileToCount, type StopToCount } from './accepted-rows.ts';
import { CountRows, type Occasion } from './count-rows.ts';
import * as sql from './counts-sql.ts';
import { countRows, differs, sumOf, type Counts } from './route-counts.ts';
import { rowsOnHost } from '../../../host/reads/route-keys.ts';

export interface ReconcilerOptions {
  readonly db: Queryable;
  readonly host: Host;
  readonly leases: Pick<Leases, 'acquire' | 'release'>;
  /** Whether the host may be written to now: no hold, no outage. */
  readonly mayWrite: () => boolean;
  readonly clock: () => Date;
  readonly log: Log;
  readonly everyMs?: number;
}

const EVERY_MS = 60_000;
/** Parked rows delay a close for so long; then the route is counted as it is. */
const SETTLE_MS = 30 * 60_000;
/** A count that differs is repeated, until a person or a later write has corrected it. */
const REPEAT_MS = 15 * 60_000;
/** A day ends at midnight of its facility; the last rows of the evening have this time to arrive. */
const AFTER_MIDNIGHT_MS = SETTLE_MS;
const DAY_MS = 86_400_000;
/** Older closes are not counted any more, and older differences of a day are not repeated. */
const LOOK_BACK_MS = 7 * DAY_MS;
const KEPT_MS = 400 * DAY_MS;
const ROUTES_A_SWEEP = 50;

interface RouteToCount extends RouteKey {
  readonly version: number;
  readonly closed_at: Date | null;
  readonly zone: string;
  /** The counted day, where there is one. */
  readonly day?: string | null;
}

/**
 * Counts what the host has of each route: at its close, and of each facility at the day's end. It counts the host's own
 * rows by their keys, not the confirmed ones. One worker does it at a time.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #sweeps: Interval;
  readonly #rows: CountRows;
  #isBusy = false;

  constructor(options: ReconcilerOptions) {
    const { everyMs = EVERY_MS, log } = options;
    this.#options = options;
    this.#rows = new CountRows(options);
    this.#sweeps = new Interval({
      work: () => this.sweep(),
      everyMs,
      onError: (err) => log.warn({ err }, 'the rows of the host could not be counted; the next sweep tries again'),
    });
  }

  start(): void {
    this.#sweeps.start();
  }

  stop(): Promise<void> {
    return this.#sweeps.stop();
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Counts what is due. @throws HostError where the host is away */
  async sweep(): Promise<void> {
    const { db, leases, mayWrite, clock } = this.#options;
    if (!mayWrite()) return;
    const lease = await leases.acquire({ facility: '', week_end: '', id: 'PODRCNP' });
    if (!lease) return;
    this.#isBusy = true;
    try {
      await this.#closedRoutes();
      await this.#differingDays();
      await this.#endedDays();
      await db.query(sql.dropCounts, [ago(clock(), KEPT_MS)]);
    } finally {
      this.#isBusy = false;
      await leases.release(lease);
    }
  }

  async #closedRoutes(): Promise<void> {
    const { db, clock } = this.#options;
    const now = clock();
    const values = [ago(now, LOOK_BACK_MS), ago(now, REPEAT_MS), ago(now, SETTLE_MS), ROUTES_A_SWEEP];
    for (const route of (await db.query<RouteToCount & Row>(sql.listClosedToCount, values)).rows) {
      if (!this.#options.mayWrite()) return;
      const day = hostMoment(route.closed_at ?? now, route.zone).date;
      const isOverdue = (route.closed_at?.getTime() ?? 0) < ago(now, SETTLE_MS).getTime();
      await this.#count(route, { occasion: 'C', day, isOverdue });
    }
  }

  async #differingDays(): Promise<void> {
    const { db, clock } = this.#options;
    const oldest = hostMoment(ago(clock(), LOOK_BACK_MS), 'UTC').date;
    const values = [ago(clock(), REPEAT_MS), oldest, ROUTES_A_SWEEP];
    const { rows } = await db.query<RouteToCount & Row>(sql.listDifferingDays, values);
    const facilities = new Map<string, { facility: string; day: string; zone: string }>();
    for (const route of rows) {
      if (!this.#options.mayWrite()) return;
      const { facility, zone } = route;
      const day = route.day ?? '';
      await this.#count(route, { occasion: 'D', day, isOverdue: true });
      facilities.set(`${facility} ${day}`, { facility, day, zone });
    }
    for (const { facility, day, zone } of facilities.values()) await this.#countFacility(facility, day, zone);
  }

  async #endedDays(): Promise<void> {
    const { db, clock } = this.#options;
    const { rows } = await db.query<FacilityDay & Row>(sql.listFacilityDays);
    for (const { facility, zone, last_day } of rows)
      for (const ended of endedDays(clock(), zone, last_day)) if (!(await this.#countDay(facility, zone, ended))) break;
  }

  /** @returns false where the next sweep counts the rest of the day: a hold begins, or a route has changed during its count */
  async #countDay(facility: string, zone: string, { day, begin, end }: EndedDay): Promise<boolean> {
    const { db, mayWrite } = this.#options;
    const routes = (await db.query<RouteToCount & Row>(sql.listRoutesOfDay, [facility, begin, end, day])).rows;
    let isWhole = true;
    for (const route of routes) {
      if (!mayWrite()) return false;
      if (!(await this.#count(route, { occasion: 'D', day, isOverdue: true }))) isWhole = false;
    }
    if (!isWhole || !mayWrite()) return false;
    await this.#countFacility(facility, day, zone);
    return true;
  }

  /** @returns false where it could not be counted now */
  async #count(
    route: RouteToCount,
    { occasion, day, isOverdue }: { occasion: Occasion; day: string; isOverdue: boolean },
  ): Promise<boolean> {
    const { db, host, log } = this.#options;
    const { facility, id, week_end, version, closed_at: closedAt, zone } = route;
    const key = { facility, id, week_end };
    const stops = (await db.query<StopToCount & Row>(sql.loadStopsToCount, [facility, id, week_end, closedAt])).rows;
    const named = filesOf(stops);
    const files = (await db.query<FileToCount & { pending: boolean }>(sql.loadFilesToCount, [named, closedAt])).rows;
    if (!isOverdue && files.some(({ pending }) => pending)) return false;
    const found = await rowsOnHost(host, key, named);
    // A change during the count: the next sweep counts the newer state.
    const now = (await db.query<{ version: number }>(sql.readVersion, [facility, id, week_end])).rows[0]?.version;
    if (now !== version) return false;
    const counted = countRows(acceptedRows(key, zone, stops, files), found);
    const isNew = await this.#rows.save({ key, occasion, day, version, zone, ...counted });
    if (isNew) {
      const facts = { route: routeScope(key), occasion, day, counts: counted.counts, stops: counted.stops };
      log.error(facts, 'the host does not have the rows of a route that the service accepted');
    }
    return true;
  }

  /** The sum over the facility's routes. */
  async #countFacility(facility: string, day: string, zone: string): Promise<void> {
    const { rows } = await this.#options.db.query<{ counts: string }>(sql.listCountsOfDay, [facility, day]);
    const counts = sumOf(rows.map((row) => readCounts(row.counts)));
    await this.#rows.save({
      key: { facility, id: '', week_end: '' },
      occasion: 'D',
      day,
      version: 0,
      zone,
      counts,
      stops: [],
    });
    if (differs(counts)) return;
    this.#options.log.info({ facility, day, counts }, 'the host has every row of the day');
  }
}

type Row = Record<string, unknown>;
interface FacilityDay {
  readonly facility: string;
  readonly zone: string;
  readonly last_day: string | null;
}

const readCounts: (text: string) => Counts = JSON.parse;

const ago = (now: Date, ms: number): Date => new Date(now.getTime() - ms);

/** A day (YYYYMMDD) on the clock of a facility, and its instants. */
interface EndedDay {
  readonly day: string;
  readonly begin: Date;
  readonly end: Date;
}

/** The days that have ended since the last counted one, the oldest first; without a counted one the last that has ended. */
function endedDays(now: Date, zone: string, lastDay: string | null): EndedDay[] {
  const midnightOf = (date: string) => instantOf({ date, time: '0' }, zone);
  const late = ago(now, AFTER_MIDNIGHT_MS);
  const days: EndedDay[] = [];
  let end = midnightOf(hostMoment(late, zone).date) ?? late;
  while (days.length < (lastDay === null ? 1 : LOOK_BACK_MS / DAY_MS)) {
    const { date: day } = hostMoment(ago(end, 1_000), zone);
    if (lastDay !== null && day <= lastDay) break;
    const begin = midnightOf(day) ?? ago(end, DAY_MS);
    days.unshift({ day, begin, end });
    end = begin;
  }
  return days;
}
