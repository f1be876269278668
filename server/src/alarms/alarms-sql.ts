import { statement } from '../db/statement.ts';

/**
 * Incidents that wait for the webhook, the oldest first; another node's are skipped. $1 the oldest that still matters,
 * $2 rows, $3 incidents to leave out.
 */
export const takeAlarms = statement(
  'alarm_take',
  `select incident_id, at, kind, details from incident
    where alarmed_at is null and acknowledged_at is null and at >= $1
      and incident_id <> all ($3::uuid[])
    order by at limit $2 for update skip locked`,
);

/** $1 incident. */
export const noteSent = statement('alarm_note_sent', 'update incident set alarmed_at = now() where incident_id = $1');
