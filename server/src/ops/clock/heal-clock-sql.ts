import { asJsonb } from '../../db/jsonb-sql.ts';
import { notifyRoutes } from '../../db/notify-sql.ts';

const document = asJsonb('doc');

/** Stops with a writer after $1 (ms since 1970). Reads each result: for an operator's command. */
export const findStopsAfter = `
  select facility, route_id, week_end, array_agg(stop_id) as stops from stop_result
   where jsonb_path_exists(${document}, '$.by[*].at ? (@ > $limit)', jsonb_build_object('limit', $1::numeric))
   group by 1, 2, 3 order by 1, 2, 3`;

export const lockRoute = `
  select version::int from route where facility = $1 and id = $2 and week_end = $3 for no key update`;

export const readResults = `
  select stop_id, doc from stop_result
   where facility = $1 and route_id = $2 and week_end = $3 and stop_id = any($4::smallint[])`;

export const writeResult = `
  update stop_result set doc = $5, version = $6
   where facility = $1 and route_id = $2 and week_end = $3 and stop_id = $4`;

export const setRouteVersion = `update route set version = $4 where facility = $1 and id = $2 and week_end = $3`;

/** Locks queues before routes (I13). $1 now. */
export const correctQueues = `update client set last_edit_time = $1 where last_edit_time > $1`;

/** No timer runs longer than $2 seconds from $1, now. A phone reads its deadline from the header, so the header gets a version. */
export const correctTimers = `
  update route r set autoclose_at = least(autoclose_at, longest), forceclose_at = least(forceclose_at, longest),
         version = version + 1, header_version = version + 1
    from (select $1::timestamptz + $2::int * interval '1 second' as longest) as timer
   where greatest(autoclose_at, forceclose_at) > longest`;

/** Other times from the wrong clock: leases, retries and limits. $1 now. */
export const correctWaits = [
  `update route set changed_at = least(changed_at, $1::timestamptz), newest_stamp = least(newest_stamp, $1::timestamptz)
    where changed_at > $1::timestamptz or newest_stamp > $1::timestamptz`,
  `update route_lease set expires_at = $1::timestamptz where expires_at > $1::timestamptz + interval '1 hour'`,
  `update parked set next_try_at = $1::timestamptz where next_try_at > $1::timestamptz + interval '1 day'`,
  `update parked_row set next_try_at = $1::timestamptz where next_try_at > $1::timestamptz + interval '1 day'`,
  `update session set last_seen_at = least(last_seen_at, $1::timestamptz), expires_at = least(expires_at, $1::timestamptz + interval '30 days')
    where last_seen_at > $1::timestamptz`,
  `update operator_session set ended_at = $1::timestamptz where last_seen_at > $1::timestamptz and ended_at is null`,
  `delete from event_window where ends_at > $1::timestamptz + interval '1 day'`,
  `delete from sign_in_failure where last_at > $1::timestamptz`,
] as const;

/** To every node: read the versions of all routes again. $1 `*`. */
export const notifyAll = notifyRoutes;
