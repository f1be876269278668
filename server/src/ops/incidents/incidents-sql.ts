import { asJsonb } from '../../db/jsonb-sql.ts';
import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const at = exactMoment('at');
const details = asJsonb('details');
const columns = 'incident_id, at, kind, client_id, employee, details, acknowledged_at, acknowledged_by, note';

/**
 * A page, newest first. $1 whether acknowledged, $2 kind, $3 employee, $4 facility, $5 route, $6 from, $7 until, each
 * or null; $8 position or null, $9 id at it, $10 rows, $11 id or null. All details name a route in the same way.
 */
export const listIncidents = statement(
  'ops_list_incidents',
  `select ${columns}, ${at} as position
     from incident
    where ($1::boolean is null or (acknowledged_at is not null) = $1)
      and ($2::text is null or kind = $2)
      and ($3::text is null or employee = $3)
      and ($4::text is null or ${details} #>> '{route,facility}' = $4)
      and ($5::text is null or ${details} #>> '{route,id}' = $5)
      and ($6::timestamptz is null or at >= $6) and ($7::timestamptz is null or at < $7)
      and ($8::timestamptz is null or (at, incident_id) < ($8, $9::uuid))
      and ($11::uuid is null or incident_id = $11)
    order by at desc, incident_id desc
    limit $10`,
);

/** Keeps the first acknowledgement, and returns whether this is it. $1 id, $2 who, $3 their words. */
export const acknowledgeIncident = statement(
  'ops_acknowledge_incident',
  `with before as (select acknowledged_at, now() as moment from incident where incident_id = $1 for no key update)
   update incident
      set acknowledged_by = coalesce(incident.acknowledged_by, $2),
          note = case when incident.acknowledged_at is null then $3 else note end,
          acknowledged_at = coalesce(incident.acknowledged_at, before.moment)
     from before
    where incident_id = $1
   returning incident_id, at, kind, client_id, employee, details, incident.acknowledged_at, acknowledged_by, note,
             before.acknowledged_at is null as is_first`,
);
