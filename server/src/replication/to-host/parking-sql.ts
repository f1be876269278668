import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const parkedAt = exactMoment('parked_at');

/** Both kinds of parked entries as one list: stops and route headers, and rows that replicate on their own. */
const entries = `(
  select parked_id, case when stop_id < 0 then 'RTHDRP' else 'RTSTUP' end as file,
         concat_ws('/', facility, route_id, week_end, case when stop_id >= 0 then stop_id end) as key,
         facility, route_id, week_end, case when stop_id >= 0 then stop_id end as stop_id,
         version, sqlstate, reason, payload, attempts, parked_at, next_try_at, skipped_at, skipped_by, skip_reason
    from parked
  union all
  select parked_id, file, key, null, null, null, null,
         version, sqlstate, reason, payload, attempts, parked_at, next_try_at, skipped_at, skipped_by, skip_reason
    from parked_row
) e`;

const columns = `parked_id, file, key, facility, route_id, week_end, stop_id, version, sqlstate, reason, payload, attempts,
       parked_at, next_try_at, skipped_at, skipped_by, skip_reason,
       ${parkedAt} as position`;

/** A page, newest first. $1 whether skipped or null for both, $2 position or null, $3 id at it, $4 rows. */
export const listParked = statement(
  'parking_list',
  `select ${columns} from ${entries}
    where ($1::boolean is null or (skipped_at is not null) = $1)
      and ($2::timestamptz is null or (parked_at, parked_id) < ($2, $3::uuid))
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
     on conflict (facility, route_id, week_end, stop_id) do update set next_try_at = now() where p.skipped_at is null
   )
   update parked_row set skipped_at = now(), skipped_by = $2, skip_reason = $3 where parked_id = $1`,
);
