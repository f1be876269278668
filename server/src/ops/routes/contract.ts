import { blankIsAbsent, nothing, operation, pageMeta, stopStatus } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import {
  employeeName,
  mutationWords,
  officePageQuery,
  officePageWords,
  ofOperators,
  routeWords,
  stopWords,
} from '../contract.ts';

// Operators' contract: routes of a day, and one route with its stops.

/** Query of GET /api/ops/routes. Filters combine. */
export const opsRoutesQuery = z
  .object({
    facility: blankIsAbsent(5),
    /** The day of the dispatch. */
    date: z.pipe(blankIsAbsent(8), z.optional(z.string().check(z.regex(/^\d{8}$/, 'must be a day as YYYYMMDD')))),
    state: z._default(z.enum(['open', 'closed', 'all']), 'open'),
    ...officePageQuery,
  })
  .check(
    z.refine(({ state, date }) => state === 'open' || date !== undefined, {
      error: 'is required for routes that are closed',
      path: ['date'],
    }),
  );
export type OpsRoutesQuery = z.infer<typeof opsRoutesQuery>;

const moment = z.nullable(z.iso.datetime());

const opsRouteDriver = z.strictObject({ employee: z.string(), name: z.string(), type: z.string() });

const placeOnRoute = z.strictObject({
  stop_id: z.int(),
  customer_name: z.string(),
  status: stopStatus,
  planned_at: moment,
  at: moment,
});

/** A route as the office follows it during the day. */
export const opsRoute = z.strictObject({
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  name: z.string(),
  trailer: z.string(),
  zone: z.string(),
  dispatched_on: z.string(),
  status: z.enum(['O', 'C']),
  arrived: z.boolean(),
  closed_at: moment,
  closed_by: z.nullable(z.enum(['D', 'A', 'F'])),
  changes_after_close: z.int(),
  version: z.int(),
  changed_at: z.iso.datetime(),
  progress: z.string(),
  exceptions: z.int(),
  missing_files: z.int(),
  last_stop: z.nullable(placeOnRoute),
  next_stop: z.nullable(placeOnRoute),
  late_minutes: z.nullable(z.int()),
  drivers: z.array(opsRouteDriver),
  last_heard_at: moment,
  pending: z.int(),
  oldest_pending_at: moment,
  on_host: z.boolean(),
  hosted_through: z.int(),
  parked: z.int(),
});
export type OpsRoute = z.infer<typeof opsRoute>;

/** A stop in a list of the office. */
export const stopSummary = z.strictObject({
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.int(),
  sequence: z.int(),
  type: z.enum(['delivery', 'backhaul', 'warehouse']),
  customer: z.string(),
  customer_name: z.string(),
  city: z.string(),
  invoices: z.array(z.string()),
  dispatched_on: z.string(),
  zone: z.string(),
  planned_at: moment,
  status: stopStatus,
  status_at: moment,
  status_by: z.nullable(z.string()),
  status_by_name: z.string(),
  planned: z.int(),
  delivered: z.int(),
  exceptions: z.int(),
  received_by: z.string(),
  files: z.int(),
  missing_files: z.int(),
  version: z.int(),
  on_host: z.boolean(),
  parked_since: moment,
});
export type StopSummary = z.infer<typeof stopSummary>;

/** A change of the route, for its list of latest events. */
const routeEvent = z.strictObject({
  id: z.string(),
  stop_id: z.int(),
  version: z.int(),
  source: z.enum(['sync', 'rest', 'office', 'timer']),
  result: z.enum(['applied', 'duplicate']),
  employee: z.string(),
  employee_name: z.string(),
  edit_time: z.iso.datetime(),
  received_at: z.iso.datetime(),
  flagged: z.boolean(),
});
export type RouteEvent = z.infer<typeof routeEvent>;

export const opsRouteDetail = z.strictObject({
  route: opsRoute,
  stops: z.array(stopSummary),
  latest: z.array(routeEvent),
});
export type OpsRouteDetail = z.infer<typeof opsRouteDetail>;

/** A route's key in a path. */
export const opsRouteParams = z.object({
  facility: z.string().check(z.minLength(1), z.maxLength(5)),
  route_id: z.string().check(z.minLength(1), z.maxLength(10)),
  week_end: z.string().check(z.regex(/^\d{8}$/, 'must be a day as YYYYMMDD')),
});
export type OpsRouteParams = z.infer<typeof opsRouteParams>;

export const stopSummaryWords = {
  ...stopWords,
  sequence: 'Its place in driving order.',
  type: '`delivery`, `backhaul` or `warehouse`.',
  customer: 'Customer number.',
  customer_name: 'Name of the customer.',
  city: 'City of the customer.',
  invoices: 'Its invoices.',
  dispatched_on: 'Day of the dispatch of the route, YYYYMMDD.',
  zone: 'Time zone of the facility.',
  planned_at: 'Planned arrival, UTC; null where the plan has none.',
  status: '`P` pending, `D` delivered, `S` skipped, `R` refused, `C` complete (stop 999 only).',
  status_at: 'When the stop got its status, UTC; null while it is pending.',
  status_by: 'The author of the status; null while the stop is pending.',
  status_by_name: employeeName,
  planned: 'Pieces planned.',
  delivered: 'Pieces recorded as delivered.',
  exceptions: 'Number of recorded exceptions and overage items.',
  received_by: 'Name of the receiver at the store.',
  files: 'Number of files that the stop names.',
  missing_files: 'Number of them whose bytes are still awaited.',
  version: 'The route version of its latest change.',
  on_host: 'Whether the host has the stop as it is now.',
  parked_since: 'Since when the host refuses it, UTC; null where it does not.',
};

const officeRead = {
  ...ofOperators,
  role: 'look',
  method: 'GET',
  body: nothing,
  requestHeaders: ['if-none-match'],
} as const;

export const opsRouteOperations = {
  listRoutes: operation({
    ...officeRead,
    path: '/ops/routes',
    summary: 'Routes with progress, exceptions, delay, drivers, the work still on phones, and their state on the host.',
    message: 'Routes',
    query: opsRoutesQuery,
    data: z.array(opsRoute),
    meta: pageMeta,
    errors: [],
  }),
  readOpsRoute: operation({
    ...officeRead,
    path: '/ops/routes/:facility/:route_id/:week_end',
    params: opsRouteParams,
    summary: 'One route with a summary of each stop in driving order, and its latest changes.',
    message: 'Route',
    query: nothing,
    data: opsRouteDetail,
    errors: ['ROUTE_NOT_FOUND'],
  }),
} as const;

export const opsRouteSchemas = [
  described('OpsRoutesQuery', opsRoutesQuery, 'Which routes. Filters combine.', {
    facility: 'Of this facility.',
    date: 'Dispatched on this day, YYYYMMDD. Required for closed routes.',
    state: '`open` is the default; `closed` and `all` need `date`.',
    ...officePageWords,
  }),
  described('OpsRouteParams', opsRouteParams, 'Which route.', routeWords),
  described('OpsRoute', opsRoute, 'A route as the office follows it during the day.', {
    ...routeWords,
    name: 'Display name.',
    trailer: 'The trailer.',
    zone: 'Time zone of the facility, an IANA name; `UTC` where it is unknown.',
    dispatched_on: 'Day of the dispatch at the facility, YYYYMMDD; blank while the host plans the route.',
    status: '`O` open, `C` closed.',
    arrived: 'Whether the return to the warehouse was recorded.',
    closed_at: 'Time of the close, UTC.',
    closed_by: '`D` the driver, `A` the timer after the arrival, `F` the timer without an arrival.',
    changes_after_close: 'Number of changes that came after the close.',
    version: 'The version of the route.',
    changed_at: 'Time of its latest change, UTC.',
    progress: 'The status of each stop in driving order, one letter a stop, without the warehouse.',
    exceptions: 'Number of recorded exceptions (OSD) and overage items.',
    missing_files: 'Number of named files whose bytes are still awaited.',
    last_stop: 'The latest finished stop by its recorded time.',
    next_stop: 'The first pending stop in driving order.',
    late_minutes:
      'Delay in minutes by the planned arrivals, negative where the route is early. Null where the plan has no times.',
    drivers: 'The present drivers.',
    last_heard_at: 'The latest report of a phone of these drivers, UTC, to the minute.',
    pending: 'Unsent changes and files on the phones of these drivers.',
    oldest_pending_at: 'When the oldest of them was recorded, by the clock of the phone, UTC.',
    on_host: 'Whether the host has all changes of the route.',
    hosted_through: 'The version that the host has.',
    parked: 'Number of its stops, or its own row, that the host refuses.',
  }),
  described('OpsRouteDriver', opsRouteDriver, 'A driver of the route.', {
    employee: 'Employee id.',
    name: employeeName,
    type: 'The role on the host.',
  }),
  described('PlaceOnRoute', placeOnRoute, 'A stop on the way.', {
    stop_id: stopWords.stop_id,
    customer_name: 'Name of the customer.',
    status: 'Its status.',
    planned_at: 'Planned arrival, UTC; null where the plan has none.',
    at: 'When it was finished, UTC; null while it is pending.',
  }),
  described('StopSummary', stopSummary, 'A stop in a list of the office.', stopSummaryWords),
  described('RouteEvent', routeEvent, 'A change of a route.', {
    ...mutationWords,
    stop_id: stopWords.stop_id,
    result: '`duplicate`: it changed nothing.',
    employee: 'The author.',
    employee_name: employeeName,
    edit_time: 'When it was recorded, by the clock of the server, UTC.',
    received_at: 'When the server received it, UTC.',
    flagged: 'Whether it has a warning for a person (`GET /api/ops/flags`).',
  }),
  described('OpsRouteDetail', opsRouteDetail, 'A route with its stops.', {
    route: 'The route.',
    stops: 'Its stops in driving order; the warehouse is the last one.',
    latest: 'Its latest changes, at most 20, the newest first.',
  }),
];
