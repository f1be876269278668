import type { Statement } from '../db/types.ts';

export const readDatabaseTime: Statement = {
  name: 'clock_database_time',
  text: `select clock_timestamp() as at`,
};

/** Rows that later edits lose to until $1 has come: routes by the time of their last change, queues by their last edit. */
export const countStampsAfter: Statement = {
  name: 'clock_count_stamps',
  text: `select (select count(*) from route where changed_at > $1)::int as routes,
                (select count(*) from client where last_edit_time > $1)::int as queues`,
};

export const saveIncident: Statement = {
  name: 'clock_save_incident',
  text: `insert into incident (incident_id, kind, details) values (gen_random_uuid(), 'server_clock', $1)`,
};
