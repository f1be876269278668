import { statement } from '../db/statement.ts';

/** An incident without a driver or queue. $1 kind, $2 details as JSON. */
export const reportIncident = statement(
  'incidents_report',
  `insert into incident (incident_id, kind, details) values (gen_random_uuid(), $1, $2)`,
);
