import { warehouseStop } from '@tailgate/sync-protocol';
import { statement } from '../../db/statement.ts';

/**
 * A text member of a result's document, without parsing it. A recorded text cannot imitate the mark, because JSON
 * escapes its quotes.
 */
const memberOf = (doc: string, name: string, length: number): string =>
  `case when strpos(${doc}, '"${name}":"') > 0
        then substr(${doc}, strpos(${doc}, '"${name}":"') + ${name.length + 4}, ${length}) end`;

const countOf = (doc: string, mark: string): string =>
  `(length(${doc}) - length(replace(${doc}, '${mark}', ''))) / ${mark.length}`;

/** An instant as the service stores it: `2026-11-24T17:58:04.000Z`. */
const INSTANT = 24;
/** The time of a skip is stored as it was sent, so only an instant counts. */
const skippedAt = `substring(${memberOf('s.doc', 'skip_refuse_timestamp', INSTANT)} from '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{12}Z$')`;
const finishedAt = `case when s.status <> 'P' then coalesce(${memberOf('s.doc', 'end_delivery_time', INSTANT)},
                                                       ${memberOf('s.doc', 'start_delivery_time', INSTANT)},
                                                       ${skippedAt}, '') end`;

/** Every entry of an exception has its parent, and every overage item its barcode (osdEntry, overageItem). */
const exceptions = `${countOf('s.doc', '"osd_parent":')} + ${countOf('s.doc', '"barcode":')}`;

const inOrder = 'order by p.sequence, p.stop_id';
const firstPending = (column: string): string => `(array_agg(${column} ${inOrder}) filter (where s.status = 'P'))[1]`;
const lastFinished = (column: string): string =>
  `(array_agg(${column} order by ${finishedAt} desc, p.sequence desc) filter (where s.status <> 'P'))[1]`;

/** A route `r` of the office's list, with the aggregates of its stops, drivers and phones. */
const routeColumns = `r.facility, r.id as route_id, r.week_end, r.name, r.trailer, coalesce(f.zone, '') as zone,
          r.dispatched_on, r.status, r.arrived, r.closed_at, r.closed_by, r.late as changes_after_close, r.version,
          r.changed_at, r.hosted_through, r.version <= r.hosted_through as on_host, stops.*, staff.*, phones.*,
          (select count(*)::int from missing_evidence m
            where m.facility = r.facility and m.route_id = r.id and m.week_end = r.week_end) as missing_files,
          (select count(*)::int from parked p where p.facility = r.facility and p.route_id = r.id
                                                and p.week_end = r.week_end and p.skipped_at is null) as parked`;

const routeTables = `left join facility f on f.id = r.facility
     cross join lateral (
       select coalesce(string_agg(s.status, '' ${inOrder}), '') as progress,
              coalesce(sum(${exceptions}), 0)::int as exceptions,
              (array_agg(p.eta ${inOrder}) filter (where p.eta <> ''))[1] as first_eta,
              ${firstPending('p.stop_id')} as next_stop, ${firstPending('p.eta')} as next_eta,
              ${firstPending("coalesce(c.name, '')")} as next_name,
              ${lastFinished('p.stop_id')} as last_stop, ${lastFinished('p.eta')} as last_eta,
              ${lastFinished("coalesce(c.name, '')")} as last_name, ${lastFinished('s.status')} as last_status,
              max(${finishedAt}) as last_at
         from stop_plan p
         join stop_result s on s.facility = p.facility and s.route_id = p.route_id and s.week_end = p.week_end
                           and s.stop_id = p.stop_id
         left join customer c on c.facility = p.facility and c.id = p.customer
        where p.facility = r.facility and p.route_id = r.id and p.week_end = r.week_end
          and p.removed_at is null and p.stop_id <> ${warehouseStop}
     ) stops
     cross join lateral (
       select coalesce(json_agg(json_build_object('employee', d.employee, 'name', coalesce(e.name, ''), 'type', d.type)
                                order by d.seq, d.employee), '[]') as drivers,
              coalesce(array_agg(d.employee), '{}') as employees
         from route_driver d left join employee e on e.id = d.employee
        where d.facility = r.facility and d.route_id = r.id and d.week_end = r.week_end and d.removed_at is null
     ) staff
     cross join lateral (
       select max(q.last_seen_at) as last_heard_at, coalesce(sum(q.pending), 0)::int as pending,
              min(q.oldest_pending_at) filter (where q.pending > 0) as oldest_pending_at
         from client q where q.employee = any (staff.employees) and q.revoked_at is null
     ) phones`;

/** Routes that drivers may see. */
const isPublished = 'r.published_at is not null and r.withdrawn_at is null';

/**
 * A page of routes, chosen before their stops are read. $1 facility or null, $2 day or null, $3 status or null; $4–$6 the
 * end of the page before or nulls, $7 rows.
 */
const chosen = `select * from route r where ${isPublished} and ($1::text is null or r.facility = $1)`;
const inPage = `and ($4::text is null or (r.facility, r.id, r.week_end) > ($4, $5::text, $6::text))
      order by r.facility, r.id, r.week_end
      limit $7`;
const ofPage = `select ${routeColumns} from page r ${routeTables} order by r.facility, r.id, r.week_end`;

/** By the index on open routes. */
export const listOpenRoutes = statement(
  'ops_list_open_routes',
  `with page as materialized (
     ${chosen} and r.status = 'O' and $3::text is null and ($2::text is null or r.dispatched_on = $2) ${inPage}
   ) ${ofPage}`,
);

/** By the index on days. */
export const listRoutesOfDay = statement(
  'ops_list_routes_of_day',
  `with page as materialized (
     ${chosen} and r.dispatched_on = $2::text and ($3::text is null or r.status = $3) ${inPage}
   ) ${ofPage}`,
);

/** $1 facility, $2 route, $3 week. */
export const readOpsRoute = statement(
  'ops_read_route',
  `select ${routeColumns} from route r ${routeTables} where r.facility = $1 and r.id = $2 and r.week_end = $3`,
);

/** The columns of a stop's summary: `p` is its plan, `s` its result, `r` its route. */
export const summaryColumns = `p.facility, p.route_id, p.week_end, p.stop_id, p.doc as plan, s.doc as result, s.version,
          r.dispatched_on, coalesce(f.zone, '') as zone, not k.parked and s.version <= r.hosted_through and s.version > r.shadow_through as on_host,
          k.parked_at as parked_since,
          (select count(*)::int from missing_evidence m
            where m.facility = p.facility and m.route_id = p.route_id and m.week_end = p.week_end
              and m.stop_id = p.stop_id) as missing_files,
          (select coalesce(json_object_agg(d.employee, coalesce(e.name, '')), '{}')
             from route_driver d left join employee e on e.id = d.employee
            where d.facility = r.facility and d.route_id = r.id and d.week_end = r.week_end) as names`;
export const summaryTables = `join route r on r.facility = p.facility and r.id = p.route_id and r.week_end = p.week_end
     join stop_result s on s.facility = p.facility and s.route_id = p.route_id and s.week_end = p.week_end
                       and s.stop_id = p.stop_id
     left join facility f on f.id = p.facility
     cross join lateral (
       select count(*) > 0 as parked, min(x.parked_at) as parked_at from parked x
        where x.facility = p.facility and x.route_id = p.route_id and x.week_end = p.week_end and x.stop_id = p.stop_id
     ) k`;

/** The stops of a route in driving order. $1 facility, $2 route, $3 week. */
export const listStopSummaries = statement(
  'ops_list_stop_summaries',
  `select ${summaryColumns}
     from stop_plan p ${summaryTables}
    where p.facility = $1 and p.route_id = $2 and p.week_end = $3 and p.removed_at is null
    order by p.stop_id = ${warehouseStop}, p.sequence, p.stop_id`,
);

/** The latest changes of a route. $1 facility, $2 route, $3 week, $4 rows. */
export const listRouteEvents = statement(
  'ops_list_route_events',
  `select l.id, l.stop_id, l.version, l.source, l.result, l.employee, coalesce(e.name, '') as employee_name, l.edit_time,
          l.received_at, l.warnings is not null as flagged
     from ledger l left join employee e on e.id = l.employee
    where l.facility = $1 and l.route_id = $2 and l.week_end = $3
    order by l.version desc, l.received_at desc, l.id
    limit $4`,
);
