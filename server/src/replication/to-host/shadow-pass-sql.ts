import { statement } from '../../db/statement.ts';

/** $1–$3 route, $4 up to which version its changes are finished. */
export const loadShadowStops = statement(
  'shadow_stops',
  'select doc from stop_result where facility = $1 and route_id = $2 and week_end = $3 and version > $4',
);

/**
 * Finishes the changes of a route in shadow, behind the lease's fence, and releases the lease. Nothing waits for the
 * host: its parked rows are gone. $1–$3 route, $4 owner, $5 fence, $6 version.
 */
export const finishShadow = statement(
  'shadow_finish',
  `with lease as (
     update route_lease set expires_at = now(), fence = fence + 1
      where facility = $1 and route_id = $2 and week_end = $3 and owner = $4 and fence = $5
     returning facility, route_id, week_end
   ), unparked as (
     delete from parked p using lease
      where p.facility = lease.facility and p.route_id = lease.route_id and p.week_end = lease.week_end
   ), finished as (
     update route r set shadow_through = greatest(r.shadow_through, $6) from lease
      where r.facility = lease.facility and r.id = lease.route_id and r.week_end = lease.week_end
   )
   select facility from lease`,
);
