import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const receivedAt = exactMoment('received_at');

/** An item of a queue, and an entry from before these columns, counts as received once. */
const attempts = `coalesce(attempts, 1) as attempts, coalesce(last_received_at, received_at) as last_received_at`;

/** Bytes after which a page ends: a phone can send bodies of 1 MiB, and a node holds the page in memory. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * A page of quarantine, newest first, with at least one of the `found` rows. $1 state, $2 code, $3 name, each or null; $4
 * position or null, $5 id at it, $6 rows.
 */
export const listQuarantine = statement(
  'ops_list_quarantine',
  `with page as (
     select *, count(*) over ()::int as found,
            sum(octet_length(body)) over (order by received_at desc, quarantine_id desc) - octet_length(body) as bytes_before
       from (select * from quarantine
              where ($1::text is null or state = $1)
                and ($2::text is null or code = $2) and ($3::text is null or name = $3)
                and ($4::timestamptz is null or (received_at, quarantine_id) < ($4, $5::uuid))
              order by received_at desc, quarantine_id desc
              limit $6) newest
   )
   select quarantine_id, q.id, client_id, seq, employee, coalesce(e.name, '') as employee_name, q.facility, route_id,
          week_end, stop_id, q.name, code, reason, details, body, received_at, ${attempts}, state, resolved_at,
          resolved_by, note, ${receivedAt} as position, found
     from page q left join employee e on e.id = q.employee where bytes_before < ${MOST_BYTES}
    order by received_at desc, quarantine_id desc`,
);

/** $1 quarantine id. */
export const readQuarantined = statement(
  'ops_read_quarantined',
  `select q.quarantine_id, q.id, q.client_id, q.seq, q.employee, q.facility, q.route_id, q.week_end, q.stop_id, q.name,
          q.code, q.reason, q.details, q.body, q.received_at, ${attempts}, q.state, q.resolved_at, q.resolved_by, q.note,
          coalesce(q.source, case when q.client_id is null then 'rest' else 'sync' end) as source,
          coalesce(e.name, '') as employee_name, coalesce(c.device, '') as device, coalesce(c.app, '') as app,
          q.captured_at, q.edit_time, q.version
     from quarantine q
     left join employee e on e.id = q.employee
     left join client c on c.client_id = q.client_id
    where q.quarantine_id = $1`,
);
