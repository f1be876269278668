import { statement } from '../db/statement.ts';

/** An open route; `r` is `route`. Unpublished routes may be half loaded (decision 4), and withdrawn routes are over. */
const isOpen = `r.status = 'O' and r.published_at is not null and r.withdrawn_at is null`;

const assigned = `route_driver d
  join route r on r.facility = d.facility and r.id = d.route_id and r.week_end = d.week_end`;

/** The order of open routes: the one in progress first, then the oldest (contract §4). */
const pendingOrder = `(r.arrived or exists (
    select from stop_result s
     where s.facility = r.facility and s.route_id = r.id and s.week_end = r.week_end and s.status <> 'P'
  )) desc, r.week_end, r.facility, r.id`;

const pending = `from ${assigned} where d.employee = $1 and d.removed_at is null and ${isOpen} order by ${pendingOrder}`;

/** The key of a driver's pending route. $1 employee. */
export const findPending = statement('routes_find_pending', `select r.facility, r.id, r.week_end ${pending} limit 1`);

/** The pending route without its stops. $1 employee. */
export const readPendingRoute = statement(
  'routes_read_pending',
  `select r.facility, r.id, r.week_end, r.epoch, r.version, r.name, r.changed_at, r.arrived, r.autoclose_at, r.forceclose_at,
          (select coalesce(json_agg(json_build_object('id', m.employee, 'name', coalesce(e.name, ''), 'type', m.type)
                                    order by m.seq, m.employee), '[]')
             from route_driver m left join employee e on e.id = m.employee
            where m.facility = r.facility and m.route_id = r.id and m.week_end = r.week_end
              and m.removed_at is null) as drivers
     ${pending} limit 1`,
);

/**
 * The stops of a route that changed after a version, removed ones without a plan, and the route version of this
 * reading. Without changes it returns one row without a stop. $1 facility, $2 route, $3 week_end, $4 version.
 */
export const readStops = statement(
  'routes_read_stops',
  `select r.epoch, r.version, p.stop_id as id, p.plan, p.result
     from route r
     left join lateral (
          select p.stop_id, case when p.removed_at is null then p.doc end as plan, s.doc as result
            from stop_plan p
            left join stop_result s
              on s.facility = p.facility and s.route_id = p.route_id and s.week_end = p.week_end and s.stop_id = p.stop_id
           where p.facility = r.facility and p.route_id = r.id and p.week_end = r.week_end
             and (p.version > $4 or s.version > $4)) p on true
    where r.facility = $1 and r.id = $2 and r.week_end = $3`,
);

/** $1 route id, $2 facility or null, $3 week_end or null, $4 employee. */
export const findRoutes = statement(
  'routes_find',
  `select r.facility, r.id, r.week_end, (${isOpen}) as open, d.employee is not null as assigned,
          d.employee is not null and d.removed_at is null as current
     from route r
     left join route_driver d
       on d.facility = r.facility and d.route_id = r.id and d.week_end = r.week_end and d.employee = $4
    where r.id = $1 and ($2::text is null or r.facility = $2) and ($3::text is null or r.week_end = $3)
    order by r.week_end desc, r.facility`,
);

/**
 * The routes of some drivers: open ones, the pending one first; then closed ones that a phone may wait for, because the
 * route's own feed carries its receipts. $1 employees, $2 now: the server's clock wrote `closed_at`, so the same clock reads it.
 */
export const listAssigned = statement(
  'routes_list_assigned',
  `select d.employee, r.facility, r.id, r.week_end, r.status
     from ${assigned}
    where d.employee = any ($1::text[]) and d.removed_at is null and r.published_at is not null
      and r.withdrawn_at is null and (r.status = 'O' or r.behind or r.closed_at > $2::timestamptz - interval '7 days')
    order by d.employee, r.status desc, ${pendingOrder}`,
);

/** All drivers of open routes. */
export const listActiveDrivers = statement(
  'routes_list_active_drivers',
  `select distinct d.employee collate "C" as employee
     from ${assigned}
    where d.removed_at is null and ${isOpen}
    order by 1`,
);

/** Whether a driver has a route now. $1 facility, $2 route, $3 week, $4 employee. */
export const hasDriver = statement(
  'routes_has_driver',
  `select 1 from route_driver
    where facility = $1 and route_id = $2 and week_end = $3 and employee = $4 and removed_at is null`,
);
