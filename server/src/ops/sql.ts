import { exactMoment } from '../db/moment-sql.ts';
import type { Statement } from '../db/types.ts';

const receivedAt = exactMoment('received_at');

/** What came by a queue, or before the columns, came once as far as we know. */
const attempts = `coalesce(attempts, 1) as attempts, coalesce(last_received_at, received_at) as last_received_at`;

/** A page of what is in quarantine, newest first. $1 state or null, $2 position or null, $3 id at it, $4 rows. */
export const listQuarantine: Statement = {
  name: 'ops_list_quarantine',
  text: `select quarantine_id, id, client_id, seq, employee, facility, route_id, week_end, stop_id, name, code, reason,
                details, body, received_at, ${attempts}, state, resolved_at, resolved_by, note,
                ${receivedAt} as position
           from quarantine
          where ($1::text is null or state = $1)
            and ($2::timestamptz is null or (received_at, quarantine_id) < ($2, $3::uuid))
          order by received_at desc, quarantine_id desc
          limit $4`,
};

/** $1 quarantine id. */
export const readQuarantined: Statement = {
  name: 'ops_read_quarantined',
  text: `select q.quarantine_id, q.id, q.client_id, q.seq, q.employee, q.facility, q.route_id, q.week_end, q.stop_id, q.name,
                q.code, q.reason, q.details, q.body, q.received_at, ${attempts}, q.state, q.resolved_at, q.resolved_by, q.note,
                coalesce(q.source, case when q.client_id is null then 'rest' else 'sync' end) as source,
                coalesce(e.name, '') as employee_name, coalesce(c.device, '') as device, coalesce(c.app, '') as app,
                q.captured_at, q.edit_time, q.version
           from quarantine q
           left join employee e on e.id = q.employee
           left join client c on c.client_id = q.client_id
          where q.quarantine_id = $1`,
};

/**
 * A page of what was taken in with a warning, newest first. $1 facility or null, $2 route or null, $3 a piece of the
 * warnings' text or null, $4 position or null, $5 id at it, $6 rows.
 */
export const listFlags: Statement = {
  name: 'ops_list_flags',
  text: `select id, facility, route_id, week_end, stop_id, version, source, employee, edit_time, received_at, warnings,
                ${receivedAt} as position
           from ledger
          where warnings is not null
            and ($1::text is null or facility = $1)
            and ($2::text is null or route_id = $2)
            and ($3::text is null or position($3 in warnings) > 0)
            and ($4::timestamptz is null or (received_at, id) < ($4, $5::uuid))
          order by received_at desc, id desc
          limit $6`,
};

/** Our servers that are connected to this database at the moment. */
export const listServers: Statement = {
  name: 'ops_list_servers',
  text: `select distinct application_name as name
           from pg_stat_activity
          where datname = current_database() and application_name in ('tailgate api', 'tailgate worker', 'tailgate all')
          order by 1`,
};

/** $1 kind, $2 details as JSON. */
export const saveIncident: Statement = {
  name: 'ops_save_incident',
  text: 'insert into incident (incident_id, kind, details) values (gen_random_uuid(), $1, $2)',
};
