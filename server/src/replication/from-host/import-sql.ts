import { cellSuffix } from '../../db/cell.ts';
import { notifyAssignments, notifyRoutes } from '../../db/notify-sql.ts';
import type { Customer } from '@tailgate/sync-protocol';
import { officeSource, warehouseStop } from '@tailgate/sync-protocol';
import { columns, instant, int2, int4, text } from '../../db/columns.ts';
import { statement } from '../../db/statement.ts';

/**
 * Statements by which the import updates the mirror. Unless stated otherwise $1–$3 are the route: facility, id,
 * week_end.
 */

const ofRoute = 'facility = $1 and route_id = $2 and week_end = $3';

/** Waits for the batch that has locked the route; batches skip a route that the import has locked (I13). */
export const lockRoute = statement(
  'import_lock_route',
  `select epoch, version, header_version, plan_version, name, trailer, email_flag, dispatched_on, published_at, withdrawn_at
     from route where facility = $1 and id = $2 and week_end = $3 for no key update`,
);

export const findRoute = statement(
  'import_find_route',
  `select withdrawn_at is not null as withdrawn, status, arrived, version, reloaded_by,
          (select rows from host_shadow h where h.facility = r.facility and h.route_id = r.id and h.week_end = r.week_end and h.stop_id = -1) as shadow
     from route r where facility = $1 and id = $2 and week_end = $3`,
);

/** A new route has no changes to replicate: `hosted_through` starts at its version. */
export const insertRoute = statement(
  'import_insert_route',
  `insert into route (facility, id, week_end, version, hosted_through, header_version, plan_version, name, trailer, email_flag,
                      dispatched_on, published_at, status, arrived, closed_at, closed_by)
   values ($1, $2, $3, 1, 1, 1, 1, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);

/** Every route of the mirror. */
export const loadedRoutes = statement('import_loaded_routes', 'select facility, id, week_end from route');

export const updateRoute = statement(
  'import_update_route',
  `update route set version = $4, header_version = $5, plan_version = $6, name = $7, trailer = $8, email_flag = $9,
          dispatched_on = $10, published_at = $11, withdrawn_at = $12, epoch = $13, changed_at = now()
    where facility = $1 and id = $2 and week_end = $3`,
);

/** A reloaded route begins anew, without the timers of the former one. */
export const restartRoute = statement(
  'import_restart_route',
  `update route set status = $4, arrived = $5, closed_at = $6, closed_by = $7, late = 0, autoclose_at = null, forceclose_at = null
    where facility = $1 and id = $2 and week_end = $3`,
);

/** $4 the doorbell lines that reported it, separated by blanks. */
export const recordReload = statement(
  'import_record_reload',
  `update route set reloaded_by = $4 where facility = $1 and id = $2 and week_end = $3`,
);

/** The office closes or reopens a route, or records its return. Only then do its timers and its closer change. */
export const setClosing = statement(
  'import_set_closing',
  `update route set version = version + 1, header_version = version + 1, status = $4, arrived = $5,
          closed_at = case when status = $4 then closed_at else $6 end, closed_by = case when status = $4 then closed_by else $7 end,
          autoclose_at = case when status = $4 then autoclose_at end, forceclose_at = case when status = $4 then forceclose_at end,
          changed_at = now()
    where facility = $1 and id = $2 and week_end = $3`,
);

/**
 * The office's change of a route, with the version that it made. $4 id, $5 hash, $6 user, $7 edit time, $8 now, $9
 * body.
 */
export const recordClosing = statement(
  'import_record_closing',
  `insert into ledger (facility, id, route_id, week_end, stop_id, version, source, hash, employee, edit_time, received_at, result, body)
   select facility, $4, id, week_end, ${warehouseStop}, version, '${officeSource}', $5, $6, $7, $8, 'applied', $9
     from route where facility = $1 and id = $2 and week_end = $3`,
);

export const loadDrivers = statement(
  'import_load_drivers',
  `select employee, type, seq, removed_at is not null as removed from route_driver where ${ofRoute}`,
);

const drivers = columns<{ readonly employee: string; readonly type: string; readonly seq: number }>(
  {
    employee: text(({ employee }) => employee),
    type: text(({ type }) => type),
    seq: int4(({ seq }) => seq),
  },
  3,
);

export const saveDrivers = drivers.statement(
  'import_save_drivers',
  `insert into route_driver (facility, route_id, week_end, ${drivers.names})
   select $1, $2, $3, * from ${drivers.unnest}
   on conflict (facility, route_id, week_end, employee)
   do update set type = excluded.type, seq = excluded.seq, removed_at = null`,
);

export const removeDrivers = statement(
  'import_remove_drivers',
  `update route_driver set removed_at = now() where ${ofRoute} and employee = any($4::text[]) and removed_at is null`,
);

export const loadPlans = statement(
  'import_load_plans',
  `select stop_id, doc, removed_at is not null as removed from stop_plan where ${ofRoute}`,
);

/** A plan to save: its text, the digest of its lines, its invoices as JSON, and the facts that the office searches. */
export interface SavedPlan {
  readonly stop: number;
  readonly doc: string;
  readonly lines: string;
  readonly invoices: string;
  readonly sequence: number;
  readonly eta: string;
  readonly customer: Customer;
  /** Now, where the stop has another customer than before. */
  readonly customerSince: Date | null;
  /** Now, where the stop has other lines than before. */
  readonly linesSince: Date | null;
}

const plans = columns<SavedPlan>(
  {
    stop_id: int2(({ stop }) => stop),
    doc: text(({ doc }) => doc),
    lines: text(({ lines }) => lines),
    invoices: text(({ invoices }) => invoices),
    sequence: int4(({ sequence }) => sequence),
    eta: text(({ eta }) => eta),
    customer: text(({ customer }) => customer.id),
    name: text(({ customer }) => customer.name),
    street: text(({ customer }) => customer.location.address[0] ?? ''),
    city: text(({ customer }) => customer.location.city),
    phone: text(({ customer }) => customer.contact.phone),
    customer_since: instant(({ customerSince }) => customerSince),
    lines_since: instant(({ linesSince }) => linesSince),
  },
  4,
);

/** The route and $4 its version, then the columns of its plans. A customer of several stops is saved once. */
export const savePlans = plans.statement(
  'import_save_plans',
  `with plan as (
     select * from ${plans.rows}
   ), customers as (
     insert into customer (facility, id, name, street, city, phone)
     select distinct on (customer) $1, customer, name, street, city, phone from plan order by customer
     on conflict (facility, id) do update
        set name = excluded.name, street = excluded.street, city = excluded.city, phone = excluded.phone
      where (customer.name, customer.street, customer.city, customer.phone)
         is distinct from (excluded.name, excluded.street, excluded.city, excluded.phone)
   ), saved as (
     insert into stop_plan (facility, route_id, week_end, stop_id, version, doc, lines, customer_since, lines_since, invoices,
                          sequence, eta, customer)
   select $1, $2, $3, k.stop_id, $4, k.doc, k.lines, k.customer_since, k.lines_since,
          array(select jsonb_array_elements_text(k.invoices::jsonb)), k.sequence, k.eta, k.customer
     from plan k
   on conflict (facility, route_id, week_end, stop_id)
   do update set version = excluded.version, doc = excluded.doc, lines = excluded.lines, removed_at = null,
          invoices = excluded.invoices, sequence = excluded.sequence, eta = excluded.eta, customer = excluded.customer,
          former_customers = case when stop_plan.customer in ('', excluded.customer)
                                         or stop_plan.customer = any (stop_plan.former_customers) then stop_plan.former_customers
                                  else stop_plan.former_customers || stop_plan.customer end,
          customer_since = coalesce(excluded.customer_since, stop_plan.customer_since),
          lines_since = coalesce(excluded.lines_since, stop_plan.lines_since)
   )
   select count(*) from plan`,
);

export const removePlans = statement(
  'import_remove_plans',
  `update stop_plan set version = $4, removed_at = now() where ${ofRoute} and stop_id = any($5::smallint[])`,
);

export interface NewResult {
  readonly stop: number;
  readonly status: string;
  readonly doc: string;
}

const results = columns<NewResult>(
  {
    stop_id: int2(({ stop }) => stop),
    status: text(({ status }) => status),
    doc: text(({ doc }) => doc),
  },
  4,
);

/** $4 the newest stamp of inherited results. */
export const raiseNewestStamp = statement(
  'import_raise_newest_stamp',
  `update route set newest_stamp = greatest(newest_stamp, $4::timestamptz) where facility = $1 and id = $2 and week_end = $3`,
);

/** Keeps a driver's record: a stop that returns has its result again, and phones receive it again. $4 version. */
export const saveResults = results.statement(
  'import_save_results',
  `insert into stop_result (facility, route_id, week_end, stop_id, version, status, doc)
   select $1, $2, $3, k.stop_id, $4, k.status, k.doc from ${results.rows}
   on conflict (facility, route_id, week_end, stop_id) do update set version = excluded.version`,
);

/**
 * Stops that now belong to another customer start empty. Returns their former results: the ledger has them by mutation,
 * an incident lists them by stop.
 */
export const emptyResults = statement(
  'import_empty_results',
  `with former as (
     select stop_id, doc from stop_result
      where ${ofRoute} and stop_id = any($4::smallint[]) and doc <> '{"status":"P"}' for update
   ), emptied as (
     update stop_result s set status = 'P', doc = '{"status":"P"}' from former
      where s.facility = $1 and s.route_id = $2 and s.week_end = $3 and s.stop_id = former.stop_id
   ), named_no_more as (
     delete from awaited_asset where ${ofRoute} and stop_id = any($4::smallint[])
   )
   select stop_id, doc from former order by stop_id`,
);

/** The stops of a route that have plan lines, with the digests of their plans. */
export const loadLines = statement(
  'import_load_lines',
  `select s.doc, p.lines from stop_result s join stop_plan p using (facility, route_id, week_end, stop_id)
    where s.facility = $1 and s.route_id = $2 and s.week_end = $3 and s.doc <> '{"status":"P"}'`,
);

export const countUnknownLines = statement(
  'import_count_unknown_lines',
  `update route set unknown_lines = $4 where facility = $1 and id = $2 and week_end = $3 and unknown_lines <> $4`,
);

export const dropShadows = statement(
  'import_drop_shadows',
  `delete from host_shadow where ${ofRoute} returning stop_id, rows`,
);

export const loadShadow = statement(
  'import_load_shadow',
  `select s.version, s.doc, h.rows, r.version as newest, (select coalesce(max(epoch), 1) from server_epoch) as epoch
     from stop_result s left join host_shadow h using (facility, route_id, week_end, stop_id)
     join route r on r.facility = s.facility and r.id = s.route_id and r.week_end = s.week_end
    where s.facility = $1 and s.route_id = $2 and s.week_end = $3 and s.stop_id = $4`,
);

/**
 * Whether this database has the change that raised a stop to version $5 in server epoch $6. A restored server assigns
 * versions again, so the change must have been received in that epoch.
 */
export const findChangeInEpoch = statement(
  'import_find_change_in_epoch',
  `select l.id from ledger l join server_epoch e on e.epoch = $6
    where l.facility = $1 and l.route_id = $2 and l.week_end = $3 and l.version = $5 and l.stop_id = $4
      and l.received_at >= e.started_at
      and l.received_at < (select min(next.started_at) from server_epoch next where next.epoch > $6)
    limit 1`,
);

/**
 * All changes of a stop up to a version of its route, in the order of their acceptance. $4 the stop, $5 the version.
 */
export const listChangesUntil = statement(
  'import_list_changes_until',
  `select version, source, client_id, seq, employee, captured_at, edit_time, received_at, body
     from ledger where ${ofRoute} and stop_id = $4 and version <= $5 order by version, received_at, id`,
);

/** $4 the stop. */
export const loadPlanLines = statement(
  'import_load_plan_lines',
  `select lines from stop_plan where ${ofRoute} and stop_id = $4`,
);

/**
 * Lets the worker write the stop again. A row on the host takes a later version only, so the version rises: where the host
 * has confirmed this one, and $6 asks for it, and where an unconfirmed write has reached the host with this one already.
 * $4 the stop, $5 its version on the host, $6 whether a confirmed row is new, or has values that are not in force.
 */
export const rewriteStop = statement(
  'import_rewrite_stop',
  `with raised as (
     update route r set version = r.version + 1, changed_at = now()
       from stop_result s
      where r.facility = $1 and r.id = $2 and r.week_end = $3 and s.facility = r.facility and s.route_id = r.id
        and s.week_end = r.week_end and s.stop_id = $4
        and case when s.version > greatest(r.hosted_through, r.shadow_through) then s.version <= $5 else $6 end
     returning r.version
   )
   update stop_result s set version = raised.version from raised
    where s.facility = $1 and s.route_id = $2 and s.week_end = $3 and s.stop_id = $4`,
);

/** $1–$3 route, $4 the stop, $5 the sequence, $6 the rows, $7 the server's time. */
export const saveShadow = statement(
  'import_save_shadow',
  `insert into host_shadow (facility, route_id, week_end, stop_id, sequence, rows, confirmed_at) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (facility, route_id, week_end, stop_id)
   do update set sequence = excluded.sequence, rows = excluded.rows, confirmed_at = excluded.confirmed_at`,
);

/** A hint without content: this scope has a new version. */
export const notify = statement('import_notify', notifyRoutes);

/** Drivers of open routes whose names the mirror lacks. */
export const driversWithoutMaster = statement(
  'import_drivers_without_master',
  `select distinct d.employee from route_driver d
     join route r on r.facility = d.facility and r.id = d.route_id and r.week_end = d.week_end and r.status = 'O'
     left join employee e on e.id = d.employee
    where d.removed_at is null and e.id is null`,
);

/** All present and former drivers of a route. Ids contain no spaces. */
export const listDrivers = statement(
  'import_list_drivers',
  `select coalesce(string_agg(employee, ' '), '') as employees from route_driver where ${ofRoute}`,
);

/** The routes of these drivers have changed. $1 employees, split by spaces. */
export const notifyDrivers = statement('import_notify_drivers', notifyAssignments);

/** Routes that are neither closed nor withdrawn. */
export const openRoutes = statement(
  'import_open_routes',
  `select facility, id, week_end from route where status = 'O' and withdrawn_at is null`,
);

/** Open routes whose week ended before $1 (YYYYMMDD). */
export const openRoutesBefore = statement(
  'import_open_routes_before',
  `select facility, id, week_end from route where status = 'O' and withdrawn_at is null and week_end < $1`,
);

export const findRouteInUse = statement(
  'import_find_route_in_use',
  `select 1 from route where facility = $1 and id = $2 and week_end = $3 and withdrawn_at is null`,
);

/** Routes that are compared with the host: open ones, and closed ones of weeks that ended on or after $1 (YYYYMMDD). */
export const comparedRoutes = statement(
  'import_compared_routes',
  `select facility, id, week_end from route where withdrawn_at is null and (status = 'O' or week_end >= $1)`,
);

/** Routes with a stop that showed one of these invoices, wherever the host has the invoice now. $1 invoices. */
export const routesOfInvoices = statement(
  'import_routes_of_invoices',
  `select distinct facility, route_id as id, week_end from stop_plan where invoices && $1::text[] and removed_at is null`,
);

/** Open routes whose header shows one of these drivers, in the order of their locks (I13). $1 employees. */
export const routesOfDrivers = statement(
  'import_routes_of_drivers',
  `select distinct r.facility, r.id, r.week_end
     from route r join route_driver d on d.facility = r.facility and d.route_id = r.id and d.week_end = r.week_end
    where d.employee = any($1::text[]) and d.removed_at is null and r.status = 'O' and r.withdrawn_at is null
    order by r.facility, r.id, r.week_end`,
);

export const raiseHeader = statement(
  'import_raise_header',
  `update route set version = version + 1, header_version = version + 1, changed_at = now()
    where facility = $1 and id = $2 and week_end = $3`,
);

/** Skips incidents that were reported before in the same words. $1 kind, $2 details, all different. */
export const reportIncidentsOnce = statement(
  'import_report_incidents_once',
  `insert into incident (incident_id, kind, details)
   select gen_random_uuid(), $1, k.details from unnest($2::text[]) as k (details)
    where not exists (select from incident i where i.kind = $1 and md5(i.details) = md5(k.details))`,
);

/**
 * One importer at a time on all nodes. The lock ends with the transaction: a transaction pooler would pass a session's
 * lock on to another client. The transaction stays idle for the whole import.
 */
export const takeImporterLock = statement(
  'import_try_lock',
  `select pg_try_advisory_xact_lock(hashtext('tailgate import' || ${cellSuffix})) as taken,
          set_config('idle_in_transaction_session_timeout', '0', true)`,
);

/** The state of a route between drivers and host. $1–$3 route. */
export const loadRouteState = statement(
  'import_load_route_state',
  `select r.version, r.status,
          r.behind or exists (select from parked p where p.facility = r.facility and p.route_id = r.id
                                                     and p.week_end = r.week_end) as pending
     from route r where r.facility = $1 and r.id = $2 and r.week_end = $3`,
);
