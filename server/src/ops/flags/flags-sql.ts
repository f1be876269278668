import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const receivedAt = exactMoment('received_at');

/**
 * A page of saved changes with a warning, newest first. $1 facility or null, $2 route or null, $3 a part of the
 * warnings' text or null, $4 position or null, $5 id at it, $6 rows.
 */
export const listFlags = statement(
  'ops_list_flags',
  `select id, facility, route_id, week_end, stop_id, version, source, employee, edit_time, received_at, warnings,
          ${receivedAt} as position
     from ledger
    where warnings is not null
      and ($1::text is null or facility = $1)
      and ($2::text is null or route_id = $2)
      and ($3::text is null or position($3 in warnings) > 0)
      and ($4::timestamptz is null or (received_at, id) < ($4, $5::uuid))
    order by received_at desc, id desc
    limit $6`,
);
