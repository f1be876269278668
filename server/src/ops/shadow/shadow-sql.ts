import { statement } from '../../db/statement.ts';

/**
 * Routes with changes that were accepted in shadow, the newest week first. $1 facility, $2 day of the dispatch (YYYYMMDD), $3
 * route, $4 week, each or null; $5 rows; $6–$8 week, facility and route of the last one of the page before, or null.
 */
export const listShadowRoutes = statement(
  'ops_list_shadow_routes',
  `select r.facility, r.id, r.week_end, r.status, r.arrived, r.closed_at, r.closed_by, r.late,
          coalesce(f.zone, '') as zone, h.rows as header
     from route r
     left join facility f on f.id = r.facility
     left join host_shadow h on h.facility = r.facility and h.route_id = r.id and h.week_end = r.week_end and h.stop_id = -1
    where r.shadow_through > 0
      and ($1::text is null or r.facility = $1) and ($2::text is null or r.dispatched_on = $2)
      and ($3::text is null or r.id = $3) and ($4::text is null or r.week_end = $4)
      and ($6::text is null or r.week_end < $6 or (r.week_end = $6 and (r.facility, r.id) > ($7, $8)))
    order by r.week_end desc, r.facility, r.id
    limit $5`,
);

/** The stops of a route, and their rows on the host as last read. $1–$3 route. */
export const listShadowStops = statement(
  'ops_list_shadow_stops',
  `select s.stop_id, s.doc, h.rows as shadow
     from stop_result s
     left join host_shadow h using (facility, route_id, week_end, stop_id)
    where s.facility = $1 and s.route_id = $2 and s.week_end = $3
    order by s.stop_id`,
);
