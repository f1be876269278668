import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const parkedAt = exactMoment('parked_at');

/** Both kinds of parked entries as one list: stops and route headers, and rows that replicate on their own. */
const entries = `(
  select parked_id, case when stop_id < 0 then 'RTHDRP' else 'RTSTUP' end as file,
         concat_ws('/', facility, route_id, week_end, case when stop_id >= 0 then stop_id end) as key,
         facility, route_id, week_end, case when stop_id >= 0 then stop_id end as stop_id,
         version, sqlstate, reason, payload, attempts, parked_at, next_try_at, skipped_at, skipped_by, skip_reason, cause
    from parked
  union all
  select parked_id, file, key, null, null, null, null,
         version, sqlstate, reason, payload, attempts, parked_at, next_try_at, skipped_at, skipped_by, skip_reason, cause
    from parked_row
) e`;

const columns = `parked_id, file, key, facility, route_id, week_end, stop_id, version, sqlstate, reason, payload, attempts,
       parked_at, next_try_at, skipped_at, skipped_by, skip_reason, cause,
       ${parkedAt} as position`;

/** A page, newest first. $1 whether skipped or null for both, $2 position or null, $3 id at it, $4 rows, $5 cause or null. */
export const listParked = statement(
  'parking_list',
  `select ${columns} from ${entries}
    where ($1::boolean is null or (skipped_at is not null) = $1)
      and ($2::timestamptz is null or (parked_at, parked_id) < ($2, $3::uuid))
      and ($5::text is null or cause = $5)
    order by parked_at desc, parked_id desc
    limit $4`,
);

/** $1 id. */
export const findParked = statement('parking_find', `select ${columns} from ${entries} where parked_id = $1`);

/** Makes an entry due at once, skipped or not. $1 id. */
export const retryParked = statement(
  'parking_retry',
  `with stops as (
     update parked set next_try_at = now(), skipped_at = null, skipped_by = null, skip_reason = null where parked_id = $1
   )
   update parked_row set next_try_at = now(), skipped_at = null, skipped_by = null, skip_reason = null
    where parked_id = $1`,
);

/**
 * Ends the tries. The route's own row counts its stops that are not on the host, and its close may have waited for this
 * one: it is due at once. $1 id, $2 user, $3 reason.
 */
export const skipParked = statement(
  'parking_skip',
  `with stops as (
     update parked set skipped_at = now(), skipped_by = $2, skip_reason = $3 where parked_id = $1
     returning facility, route_id, week_end, stop_id, version
   ), header as (
     insert into parked as p (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload, next_try_at)
     select facility, route_id, week_end, -1, version, '', 'a stop of this route was skipped', '', now()
       from stops where stop_id >= 0
     on conflict (facility, route_id, week_end, stop_id) do update set next_try_at = excluded.next_try_at where p.skipped_at is null
   )
   update parked_row set skipped_at = now(), skipped_by = $2, skip_reason = $3 where parked_id = $1`,
);

/** Entries of one cause that one statement changes at most; the rest stays for the next one. */
const MOST_AT_ONCE = 10_000;

/**
 * The entries of a cause in one state, without those that a worker saves at this moment: that try counts. $1 cause, $2
 * whether skipped.
 */
const stopsOfCause = `
     select parked_id, parked_at, facility || '/' || route_id || '/' || week_end as place from parked where cause = $1 and (skipped_at is not null) = $2
      order by parked_at limit ${MOST_AT_ONCE} for update skip locked`;
const rowsOfCause = `
     select parked_id, parked_at, file as place from parked_row where cause = $1 and (skipped_at is not null) = $2
      order by parked_at limit ${MOST_AT_ONCE} for update skip locked`;

/** Open entries of a cause. */
const remaining = `(select count(*) from parked where cause = $1 and skipped_at is null)
          + (select count(*) from parked_row where cause = $1 and skipped_at is null)`;

/**
 * Makes the entries of a cause due one after the other, the oldest first, and route by route, since a route that is due
 * takes all of its stops along: $3 entries a second. $1 cause, $2 whether skipped. Returns how many, and the moment at
 * which the last one is due.
 */
export const retryCause = statement(
  'parking_retry_cause',
  `with stops as materialized (${stopsOfCause}
   ), files as materialized (${rowsOfCause}
   ), due as materialized (
     select parked_id, now() + (row_number() over (order by parked_at, place, parked_id) - 1) / $3::float8 * interval '1 second' as at
       from (select * from stops union all select * from files) e
   ), changed_stops as (
     update parked p set next_try_at = due.at, skipped_at = null, skipped_by = null, skip_reason = null
       from due where p.parked_id = due.parked_id
   ), changed_rows as (
     update parked_row p set next_try_at = due.at, skipped_at = null, skipped_by = null, skip_reason = null
       from due where p.parked_id = due.parked_id
   )
   select count(*)::int as count, max(at) as ends_at from due`,
);

/** Ends the tries of a cause, as `skipParked` does for one entry. $1 cause, $2 false, $3 user, $4 reason. */
export const skipCause = statement(
  'parking_skip_cause',
  `with stops as materialized (${stopsOfCause}
   ), files as materialized (${rowsOfCause}
   ), changed_stops as (
     update parked p set skipped_at = now(), skipped_by = $3, skip_reason = $4
       from stops where p.parked_id = stops.parked_id
     returning p.facility, p.route_id, p.week_end, p.stop_id, p.version
   ), headers as (
     insert into parked as p (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload, next_try_at)
     select facility, route_id, week_end, -1, max(version), '', 'a stop of this route was skipped', '', now()
       from changed_stops where stop_id >= 0 group by 1, 2, 3 order by 1, 2, 3
     on conflict (facility, route_id, week_end, stop_id) do update set next_try_at = excluded.next_try_at where p.skipped_at is null
   ), changed_rows as (
     update parked_row p set skipped_at = now(), skipped_by = $3, skip_reason = $4
       from files where p.parked_id = files.parked_id
   )
   select ((select count(*) from stops) + (select count(*) from files))::int as count`,
);

/** $1 cause. */
export const countCause = statement('parking_count_cause', `select (${remaining})::int as remaining`);

/** The last refusal of the host, while its row is parked. */
export const lastParked = statement(
  'parking_last',
  `select concat_ws(' ', file, key, sqlstate, reason) as text, parked_at as at from ${entries}
    where skipped_at is null and sqlstate <> '' order by parked_at desc limit 1`,
);
