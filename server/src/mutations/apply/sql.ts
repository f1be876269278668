import { notifyEachAssignment, notifyRoutes } from '../../db/notify-sql.ts';
import type { RouteKey } from '@tailgate/sync-protocol';
import { bool, bytea, columns, instant, int2, int4, int8, text, uuid } from '../../db/columns.ts';
import { statement } from '../../db/statement.ts';
import type { Item, QueuePlace } from '../change.ts';
import { authorOf } from '../item.ts';
import type { Changes, LedgerEntry } from './changes.ts';
import type { QuarantineEntry } from './refusals.ts';
import type { WantedStop, LoadedClient, LoadedRoute } from './world.ts';

/**
 * The statements of a batch. Each runs once for the whole batch over columns (`unnest`), and has a name so that a
 * connection plans it once. Locks come first: clients, then routes, each sorted by key (I13).
 */
const routeKeys = columns<RouteKey>({
  facility: text(({ facility }) => facility),
  id: text(({ id }) => id),
  week_end: text((key) => key.week_end),
});

export const lockClients = statement(
  'mutations_lock_clients',
  `select client_id, employee, last_seq, last_hash, last_edit_time, version,
          revoked_at is not null and held_at is null as revoked, held_at is not null as held, reopened_at
     from client where client_id = any($1::uuid[])
    order by client_id for no key update`,
);

/** Skips routes that another transaction locks. `existingRoutes` distinguishes those from routes that do not exist. */
export const lockRoutes = routeKeys.statement(
  'mutations_lock_routes',
  `select r.facility, r.id, r.week_end, r.epoch, r.version, r.header_version, r.name, r.email_flag, r.withdrawn_at,
          r.status, r.arrived, r.closed_at, r.closed_by, r.late, r.unknown_lines, r.newest_stamp,
          r.autoclose_at, r.forceclose_at
     from ${routeKeys.rows}
     join route r using (facility, id, week_end)
    order by r.facility, r.id, r.week_end for no key update of r skip locked`,
);

export const existingRoutes = routeKeys.statement(
  'mutations_existing_routes',
  `select facility, id, week_end
     from ${routeKeys.rows}
     join route r using (facility, id, week_end)`,
);

export const loadDrivers = routeKeys.statement(
  'mutations_load_drivers',
  `select d.facility, d.route_id, d.week_end, d.employee, coalesce(e.name, '') as name, d.type, d.removed_at is not null as removed
     from ${routeKeys.rows}
     join route_driver d on d.facility = k.facility and d.route_id = k.id and d.week_end = k.week_end
     left join employee e on e.id = d.employee
    order by d.seq, d.employee`,
);

/** An item's place in its queue; null without a queue. */
interface Placed {
  readonly place: QueuePlace | null;
}

const linkBytes = (place: QueuePlace | null): Buffer | null =>
  place === null || place.prevHash === null ? null : Buffer.from(place.prevHash, 'base64url');

const stopKeys = columns<WantedStop>({
  facility: text(({ key }) => key.facility),
  route_id: text(({ key }) => key.id),
  week_end: text(({ key }) => key.week_end),
  stop_id: int2(({ stop }) => stop),
});
const stopColumns =
  'k.n::int as n, s.version, s.doc, p.lines, p.removed_at is not null as removed, p.customer_since, p.lines_since';
const namedStops = `
     from ${stopKeys.unnest} with ordinality as k (${stopKeys.names}, n)
     join stop_result s using (facility, route_id, week_end, stop_id)
     join stop_plan p using (facility, route_id, week_end, stop_id)`;

export const loadStops = stopKeys.statement('mutations_load_stops', `select ${stopColumns} ${namedStops}`);

/**
 * Adds the ledger's changes at the version of each stop's result, and their stamps: the change that made the version,
 * and later ones that changed nothing. A stop has one row for each.
 */
export const loadStopsAndLatest = stopKeys.statement(
  'mutations_load_stops_and_latest_changes',
  `select ${stopColumns}, l.employee, l.hash, case when l.source <> 'rest' then l.body end as body,
          l.edit_time, coalesce(l.client_id::text, l.source) as client, coalesce(l.seq, l.version) as seq ${namedStops}
     left join ledger l on l.facility = s.facility and l.route_id = s.route_id and l.week_end = s.week_end
                       and l.version = s.version and l.stop_id = s.stop_id and l.result = 'applied'`,
);

const ids = columns<Item>({
  facility: text(({ meaning }) => (meaning.kind === 'command' ? meaning.route.facility : '')),
  id: uuid(({ id }) => id),
});
export const loadKnown = ids.statement(
  'mutations_load_known',
  `select l.id, l.hash, l.version, null as code, null as reason, null as details, l.warnings, l.received_at
     from ${ids.rows} join ledger l using (facility, id)
    union all
   select q.id, q.hash, null, q.code, q.reason, q.details, null, q.received_at
     from quarantine q where q.id = any($2::uuid[]) and q.code <> 'ID_REUSED' and q.state <> 'released'`,
);

/** A stop that a batch changes, and its result document as text. */
export type WrittenStop = Changes['stops'][number] & { readonly text: string };

const stops = columns<WrittenStop>({
  facility: text(({ key }) => key.facility),
  route_id: text(({ key }) => key.id),
  week_end: text(({ key }) => key.week_end),
  stop_id: int2(({ stop }) => stop),
  version: int8(({ version }) => version),
  status: text(({ result }) => result.status),
  doc: text((stop) => stop.text),
});
export const saveStops = stops.statement(
  'mutations_save_stops',
  `update stop_result s set version = k.version, status = k.status, doc = k.doc
     from ${stops.rows}
    where s.facility = k.facility and s.route_id = k.route_id and s.week_end = k.week_end and s.stop_id = k.stop_id`,
);

const ledger = columns<LedgerEntry & Placed>({
  facility: text(({ key }) => key.facility),
  id: uuid(({ item }) => item.id),
  route_id: text(({ key }) => key.id),
  week_end: text(({ key }) => key.week_end),
  stop_id: int2(({ stop }) => stop),
  version: int8(({ version }) => version),
  source: text(({ item }) => item.source),
  client_id: uuid(({ place }) => place?.clientId ?? null),
  seq: int8(({ place }) => place?.seq ?? null),
  prev_hash: bytea(({ place }) => linkBytes(place)),
  hash: bytea(({ item }) => item.hash),
  employee: text(({ item }) => authorOf(item)),
  captured_at: instant(({ item }) => item.capturedAt),
  edit_time: instant(({ editTime }) => editTime),
  received_at: instant(({ item }) => item.receivedAt),
  result: text(({ result }) => result),
  warnings: text(({ warnings }) => (warnings.length > 0 ? JSON.stringify(warnings) : null)),
  body: text(({ item }) => item.body),
});
export const saveLedger = ledger.statement(
  'mutations_save_ledger',
  `insert into ledger (${ledger.names}) select * from ${ledger.rows}`,
);

const routes = columns<{ readonly after: LoadedRoute }>({
  facility: text(({ after }) => after.facts.key.facility),
  id: text(({ after }) => after.facts.key.id),
  week_end: text(({ after }) => after.facts.key.week_end),
  version: int8(({ after }) => after.version),
  header_version: int8(({ after }) => after.headerVersion),
  status: text(({ after }) => after.facts.status),
  arrived: bool(({ after }) => after.facts.arrived),
  closed_at: instant(({ after }) => after.facts.closedAt),
  closed_by: text(({ after }) => after.facts.closedBy),
  late: int4(({ after }) => after.late),
  autoclose_at: instant(({ after }) => after.facts.autocloseAt),
  forceclose_at: instant(({ after }) => after.facts.forcecloseAt),
  unknown_lines: int4(({ after }) => after.unknownLines),
  newest_stamp: instant(({ after }) => after.newestStamp),
});
export const saveRoutes = routes.statement(
  'mutations_save_routes',
  `update route r set version = k.version, header_version = k.header_version, status = k.status, arrived = k.arrived,
          closed_at = k.closed_at, closed_by = k.closed_by, late = k.late, autoclose_at = k.autoclose_at,
          forceclose_at = k.forceclose_at, unknown_lines = k.unknown_lines, newest_stamp = k.newest_stamp, changed_at = now()
     from ${routes.rows}
    where r.facility = k.facility and r.id = k.id and r.week_end = k.week_end`,
);

const clients = columns<LoadedClient>({
  client_id: uuid(({ clientId }) => clientId),
  last_seq: int8(({ lastSeq }) => lastSeq),
  last_hash: bytea(({ lastLink }) => lastLink),
  last_edit_time: instant(({ lastEditTime }) => lastEditTime),
  version: int8(({ version }) => version),
  heard: bool(({ heard }) => heard),
});
/** A release in the same batch raises the version, too: both give the next one to their entries. */
export const saveClients = clients.statement(
  'mutations_save_clients',
  `update client c set last_seq = k.last_seq, last_hash = k.last_hash, last_edit_time = k.last_edit_time,
          version = greatest(c.version, k.version),
          last_seen_at = greatest(c.last_seen_at, least(now(), case when k.heard then 'infinity'::timestamptz else '-infinity' end))
     from ${clients.rows}
    where c.client_id = k.client_id`,
);

/** An entry with the route and the stop that it names, as far as they can be read. */
export type NamedEntry = Omit<QuarantineEntry, 'key'> & { readonly key: RouteKey };

const quarantine = columns<NamedEntry & Placed>({
  quarantine_id: uuid(({ quarantineId }) => quarantineId),
  id: uuid(({ item }) => item.id),
  hash: bytea(({ item }) => item.hash),
  client_id: uuid(({ item }) => item.queued?.queue.clientId ?? null),
  seq: int8(({ item }) => item.queued?.seq ?? null),
  client_version: int8(({ clientVersion }) => clientVersion),
  employee: text(({ item }) => authorOf(item)),
  facility: text(({ key }) => key.facility),
  route_id: text(({ key }) => key.id),
  week_end: text(({ key }) => key.week_end),
  stop_id: int2(({ stop }) => stop),
  // A broken item may have a NUL in its name, which text columns refuse. The body has the name in full.
  name: text(({ item }) => item.name.replaceAll('\0', '')),
  code: text(({ fault }) => fault.code),
  reason: text(({ fault }) => fault.reason),
  details: text(({ fault }) => JSON.stringify(fault.details)),
  body: bytea(({ item }) => Buffer.from(item.body)),
  received_at: instant(({ item }) => item.receivedAt),
  source: text(({ item }) => item.source),
  paths: text(({ item }) => item.paths),
  captured_at: instant(({ item }) => item.capturedAt),
  edit_time: instant(({ editTime }) => editTime),
  prev_hash: bytea(({ place }) => linkBytes(place)),
});

/** Adds entries. An entry exists already under the same id and hash, or, without a queue, with the same content and author. */
export const saveQuarantine = quarantine.statement(
  'mutations_save_quarantine',
  `insert into quarantine (${quarantine.names}, attempts)
   select *, case when client_id is null then 1 end from ${quarantine.rows}
   on conflict do nothing`,
);

const repeated = columns<{ readonly item: Item } & Placed>({
  client_id: uuid(({ place }) => place?.clientId ?? null),
  seq: int8(({ place }) => place?.seq ?? null),
  id: uuid(({ item }) => item.id),
  hash: bytea(({ item }) => item.hash),
  prev_hash: bytea(({ place }) => linkBytes(place)),
});

/** After a restore the database may have the place already, from before. */
export const saveRepeated = repeated.statement(
  'mutations_save_repeated_items',
  `insert into repeated_item (${repeated.names}) select * from ${repeated.rows}
   on conflict (client_id, seq) do update set id = excluded.id, hash = excluded.hash, prev_hash = excluded.prev_hash`,
);

const incidents = columns<Changes['incidents'][number]>({
  kind: text(({ kind }) => kind),
  client_id: uuid(({ clientId }) => clientId),
  employee: text(({ employee }) => employee),
  details: text(({ details }) => details),
});
export const saveIncidents = incidents.statement(
  'mutations_save_incidents',
  `insert into incident (incident_id, ${incidents.names}) select gen_random_uuid(), * from ${incidents.rows}`,
);

/** Routes whose closing timer has run out at $1, the longest overdue first; at most $2. */
export const dueRoutes = statement(
  'mutations_due_routes',
  `select facility, id, week_end, least(autoclose_at, forceclose_at) as due_at
     from route where least(autoclose_at, forceclose_at) <= $1
    order by due_at limit $2`,
);

/** Notifies the other nodes which scopes have changed, without content. */
export const notify = statement('mutations_notify', notifyRoutes);

/**
 * Notifies the other nodes that the route lists of these drivers have changed. $1 employee ids, which contain no
 * spaces.
 */
export const notifyDrivers = statement('mutations_notify_drivers', notifyEachAssignment);
