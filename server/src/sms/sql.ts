import { statement } from '../db/statement.ts';

/** A message that is given up. $1 employee, $2 details as JSON. */
export const saveGivenUp = statement(
  'sms_save_given_up',
  `insert into incident (incident_id, kind, employee, details) values (gen_random_uuid(), 'sms_given_up', $1, $2)`,
);
