import { statement } from '../../../db/statement.ts';
import { modeIn } from '../../../modes/modes-sql.ts';

const modeOfFacility = modeIn('f.id');

const route = 'r.facility, r.id, r.week_end, r.version, r.status, r.closed_at, r.behind';

/** The facility of a route `r` is live, and the service has written the route after its shadow. */
const isOnHost = `(${modeIn('r.facility')} = 'live' and r.hosted_through >= r.shadow_through)`;

/**
 * Closed routes that are not counted in their present version, and counted ones that differed at $2 or earlier. A route
 * that is behind is counted once $3 has passed since its close. $1 oldest close, $4 rows.
 */
export const listClosedToCount = statement(
  'count_list_closed',
  `select ${route}, coalesce(f.zone, '') as zone, c.day
     from route r
     left join facility f on f.id = r.facility
     left join lateral (
       select day, version, differs, counted_at from reconciliation c
        where c.facility = r.facility and c.route_id = r.id and c.week_end = r.week_end and c.occasion = 'C'
        order by counted_at desc limit 1
     ) c on true
    where r.status = 'C' and r.withdrawn_at is null and r.closed_at > $1 and ${isOnHost}
      and (not r.behind or r.closed_at < $3)
      and (c.version is distinct from r.version or (c.differs and c.counted_at <= $2))
      and (c.counted_at is null or not r.behind or c.counted_at <= $2)
    order by r.closed_at, r.facility, r.id, r.week_end limit $4`,
);

/** Counts at a day's end that differed at $1 or earlier, of days from $2 on. $3 rows. */
export const listDifferingDays = statement(
  'count_list_differing',
  `select ${route}, coalesce(f.zone, '') as zone, c.day
     from reconciliation c
     join route r on r.facility = c.facility and r.id = c.route_id and r.week_end = c.week_end
     left join facility f on f.id = r.facility
    where ${isOnHost} and c.occasion = 'D' and c.differs and c.counted_at <= $1 and c.day >= $2 and r.withdrawn_at is null
    order by c.counted_at, c.facility, c.route_id, c.week_end limit $3`,
);

/** Facilities with a zone, and the last day that was counted at its end. */
export const listFacilityDays = statement(
  'count_list_facilities',
  `select f.id as facility, f.zone,
          (select max(c.day) from reconciliation c where c.facility = f.id and c.route_id = '' and c.occasion = 'D') as last_day
     from facility f where f.zone <> '' and ${modeOfFacility} = 'live' order by f.id`,
);

/**
 * Routes of a facility with changes of one day that are not counted in their present version. $1 facility, $2 the beginning
 * of the day, $3 its end, $4 the day.
 */
export const listRoutesOfDay = statement(
  'count_list_routes_of_day',
  `select ${route}, coalesce(f.zone, '') as zone
     from route r left join facility f on f.id = r.facility
    where r.facility = $1 and r.changed_at >= $2 and r.withdrawn_at is null and ${isOnHost}
      and exists (select from ledger l where l.facility = r.facility and l.route_id = r.id and l.week_end = r.week_end
                                         and l.received_at >= $2 and l.received_at < $3)
      and not exists (select from reconciliation c
                       where c.facility = r.facility and c.route_id = r.id and c.week_end = r.week_end
                         and c.occasion = 'D' and c.day = $4 and c.version = r.version)
    order by r.id, r.week_end`,
);

/** The stops of a route with a result. $1–$3 route, $4 its close or null. */
export const loadStopsToCount = statement(
  'count_load_stops',
  `select s.stop_id, s.doc, h.rows as shadow, p.stop_id is not null as parked, l.stop_id is not null as recorded,
          coalesce(l.last_at > $4, false) as late
     from stop_result s
     left join host_shadow h using (facility, route_id, week_end, stop_id)
     left join parked p using (facility, route_id, week_end, stop_id)
     left join (select stop_id, max(received_at) as last_at from ledger
                 where facility = $1 and route_id = $2 and week_end = $3 group by stop_id) l using (stop_id)
    where s.facility = $1 and s.route_id = $2 and s.week_end = $3
    order by s.stop_id`,
);

/** Files whose bytes have arrived. $1 ids, $2 the close of the route or null. */
export const loadFilesToCount = statement(
  'count_load_files',
  `select a.id, p.key is not null as parked, a.hosted_version < a.version and p.key is null as pending,
          coalesce(a.received_at > $2, false) as late
     from asset a left join parked_row p on p.file = 'ASSHDP' and p.key = a.id
    where a.id = any ($1::text[]) and a.state = 'R'
    order by a.id`,
);

/** The present version of a route. $1–$3 route. */
export const readVersion = statement(
  'count_read_version',
  'select version from route where facility = $1 and id = $2 and week_end = $3',
);

/**
 * Saves a count, and records an incident where a route begins to differ. $1–$3 route (blank for a facility), $4 occasion,
 * $5 day, $6 version, $7 time, $8 whether it differs, $9 counts, $10 stops, $11 details of the incident.
 */
export const saveCount = statement(
  'count_save',
  `with before as (
     select differs from reconciliation
      where facility = $1 and route_id = $2 and week_end = $3 and occasion = $4 and day = $5
   ), saved as (
     insert into reconciliation (facility, route_id, week_end, occasion, day, version, counted_at, differs, counts, stops)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (facility, route_id, week_end, occasion, day) do update
        set version = excluded.version, counted_at = excluded.counted_at, differs = excluded.differs,
            counts = excluded.counts, stops = excluded.stops
   ), reported as (
     insert into incident (incident_id, at, kind, details)
     select gen_random_uuid(), $7, 'host_count_differs', $11
      where $8 and $2 <> '' and not exists (select from before where differs)
     returning incident_id
   )
   select incident_id from reported`,
);

/** The counts of a facility's routes at a day's end. $1 facility, $2 day. */
export const listCountsOfDay = statement(
  'count_list_of_day',
  `select counts from reconciliation where facility = $1 and day = $2 and occasion = 'D' and route_id <> ''`,
);

/** $1 the oldest kept count. */
export const dropCounts = statement('count_drop', 'delete from reconciliation where counted_at < $1');
