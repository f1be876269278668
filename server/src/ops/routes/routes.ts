import * as z from 'zod/mini';
import type { Db, Queryable } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { cursorOf, readPosition, type Page } from '../pages.ts';
import type { OpsRoute, OpsRouteDetail, OpsRouteParams, OpsRoutesQuery, RouteEvent } from './contract.ts';
import { opsRouteOperations } from './contract.ts';
import { lateMinutes, plannedAt } from './planned-times.ts';
import * as sql from './routes-sql.ts';
import { summaryOf, type SummaryRow } from './stop-summary.ts';

export interface OpsRouteDeps {
  readonly db: Db;
  readonly clock: () => Date;
}

type Copied =
  | 'facility'
  | 'route_id'
  | 'week_end'
  | 'name'
  | 'trailer'
  | 'dispatched_on'
  | 'status'
  | 'arrived'
  | 'closed_by'
  | 'changes_after_close'
  | 'version'
  | 'progress'
  | 'exceptions'
  | 'missing_files'
  | 'drivers'
  | 'pending'
  | 'on_host'
  | 'hosted_through'
  | 'parked';

interface RouteRow extends Pick<OpsRoute, Copied> {
  readonly zone: string;
  readonly closed_at: Date | null;
  readonly changed_at: Date;
  readonly last_heard_at: Date | null;
  readonly oldest_pending_at: Date | null;
  readonly first_eta: string | null;
  readonly next_stop: number | null;
  readonly next_eta: string | null;
  readonly next_name: string | null;
  readonly last_stop: number | null;
  readonly last_eta: string | null;
  readonly last_name: string | null;
  readonly last_status: 'D' | 'S' | 'R' | null;
  readonly last_at: string | null;
}

/** End of a page: facility, route, week. */
const position = z.tuple([z.string(), z.string(), z.string()]);

/** Lists routes by their key. Open ones of any day, or all of one day. */
async function listRoutes(
  { db, clock }: OpsRouteDeps,
  { facility, date, state, limit, cursor }: OpsRoutesQuery,
): Promise<Page<OpsRoute>> {
  const after = readPosition(position, cursor) ?? [null, null, null];
  const [statement, status] =
    state === 'open' ? ([sql.listOpenRoutes, null] as const) : ([sql.listRoutesOfDay, closedOr(state)] as const);
  const values = [facility ?? null, date ?? null, status, ...after, limit + 1];
  const { rows } = await db.query<RouteRow & Record<string, unknown>>(statement, values);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last ? cursorOf([last.facility, last.route_id, last.week_end]) : null;
  return { data: shown.map((row) => routeOf(row, clock())), meta: { next_cursor: next } };
}

const closedOr = (state: 'closed' | 'all'): 'C' | null => (state === 'closed' ? 'C' : null);

const LATEST_EVENTS = 20;

/** @returns undefined where there is no such route */
async function readRoute(
  { db, clock }: OpsRouteDeps,
  { facility, route_id, week_end }: OpsRouteParams,
): Promise<OpsRouteDetail | undefined> {
  const key = [facility, route_id, week_end];
  const [routes, stops, events] = await Promise.all([
    db.query<RouteRow & Record<string, unknown>>(sql.readOpsRoute, key),
    db.query<SummaryRow & Record<string, unknown>>(sql.listStopSummaries, key),
    readEvents(db, key),
  ]);
  const [row] = routes.rows;
  if (!row) return undefined;
  return {
    route: routeOf(row, clock()),
    stops: stops.rows.map((stop) => summaryOf(stop, row.first_eta ?? '')),
    latest: events,
  };
}

type EventRow = Omit<RouteEvent, 'edit_time' | 'received_at'> & {
  readonly edit_time: Date;
  readonly received_at: Date;
};

async function readEvents(db: Queryable, key: readonly string[]): Promise<RouteEvent[]> {
  const { rows } = await db.query<EventRow & Record<string, unknown>>(sql.listRouteEvents, [...key, LATEST_EVENTS]);
  return rows.map(({ edit_time, received_at, ...event }) => ({
    ...event,
    edit_time: edit_time.toISOString(),
    received_at: received_at.toISOString(),
  }));
}

function routeOf(row: RouteRow, now: Date): OpsRoute {
  const zone = row.zone || 'UTC';
  const day = { dispatchedOn: row.dispatched_on, zone, firstEta: row.first_eta ?? '' };
  const last = { planned: plannedAt(row.last_eta, day), at: instantIn(row.last_at) };
  const next = { planned: plannedAt(row.next_eta, day), at: null };
  return {
    facility: row.facility,
    route_id: row.route_id,
    week_end: row.week_end,
    name: row.name,
    trailer: row.trailer,
    zone,
    dispatched_on: row.dispatched_on,
    status: row.status,
    arrived: row.arrived,
    closed_at: textOf(row.closed_at),
    closed_by: row.closed_by,
    changes_after_close: row.changes_after_close,
    version: row.version,
    changed_at: row.changed_at.toISOString(),
    progress: row.progress,
    exceptions: row.exceptions,
    missing_files: row.missing_files,
    last_stop: placeOf(row.last_stop, row.last_name, row.last_status ?? 'P', last),
    next_stop: placeOf(row.next_stop, row.next_name, 'P', next),
    late_minutes: lateMinutes(last, next, row.closed_at ?? now),
    drivers: row.drivers,
    last_heard_at: textOf(row.last_heard_at),
    pending: row.pending,
    oldest_pending_at: textOf(row.oldest_pending_at),
    on_host: row.on_host,
    hosted_through: row.hosted_through,
    parked: row.parked,
  };
}

const textOf = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Blank where no stop is finished. */
function instantIn(text: string | null): Date | null {
  const at = new Date(text || NaN);
  return Number.isNaN(at.getTime()) ? null : at;
}

function placeOf(
  stop: number | null,
  name: string | null,
  status: NonNullable<OpsRoute['last_stop']>['status'],
  { planned, at }: { readonly planned: Date | null; readonly at: Date | null },
): OpsRoute['last_stop'] {
  if (stop === null) return null;
  return { stop_id: stop, customer_name: name ?? '', status, planned_at: textOf(planned), at: textOf(at) };
}

/** Operators: routes during the day. */
export function opsRouteEndpoints(deps: OpsRouteDeps) {
  return {
    listRoutes: endpoint(opsRouteOperations.listRoutes, ({ query }) => listRoutes(deps, query)),

    readOpsRoute: endpoint(opsRouteOperations.readOpsRoute, async ({ params }) => {
      const data = await readRoute(deps, params);
      if (!data) throw new AppError('ROUTE_NOT_FOUND');
      return { data };
    }),
  };
}
