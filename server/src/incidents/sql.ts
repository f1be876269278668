import { statement } from '../db/statement.ts';

/** An incident without a driver or queue. $1 kind, $2 details as JSON. */
export const reportIncident = statement(
  'incidents_report',
  `insert into incident (incident_id, kind, details) values (gen_random_uuid(), $1, $2)`,
);

/** An incident without a driver, once while it is open. $1 kind, $2 details as JSON. */
export const reportOnce = statement(
  'incidents_report_once',
  `insert into incident (incident_id, kind, details)
   select gen_random_uuid(), $1::text, $2::text
    where not exists (select from incident i
                       where i.kind = $1 and md5(i.details) = md5($2) and i.acknowledged_at is null)`,
);
