import type { Statement } from '../db/types.ts';

/**
 * A page of what is in quarantine, newest first. The position is told to the microsecond, as text: a JavaScript date
 * would round it and show an entry twice or never. $1 state or null, $2 position or null, $3 id at it, $4 rows.
 */
export const listQuarantine: Statement = {
  name: 'ops_list_quarantine',
  text: `select quarantine_id, id, client_id, seq, employee, facility, route_id, week_end, stop_id, name, code, reason,
                details, body, received_at, state, resolved_at, resolved_by, note,
                to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
           from quarantine
          where ($1::text is null or state = $1)
            and ($2::timestamptz is null or (received_at, quarantine_id) < ($2, $3::uuid))
          order by received_at desc, quarantine_id desc
          limit $4`,
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
