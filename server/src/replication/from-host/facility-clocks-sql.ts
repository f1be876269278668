import { statement } from '../../db/statement.ts';

/**
 * Facilities that need a time zone and have none: those of open routes and of registered drivers. A driver's facility
 * without a route counts only where FACMSTP has it; otherwise the driver belongs to no facility.
 */
const inUtc = `
     select r.facility as id from route r where r.status = 'O' and r.withdrawn_at is null
      union
     select e.facility from account a join employee e on e.id = a.employee join facility f on f.id = e.facility
     except
     select f.id from facility f where f.zone <> ''`;

/** Records the facilities without a time zone. An incident reports each once, until it has a zone again. */
export const recordInUtc = statement(
  'facility_clocks_record_in_utc',
  `with needed as (${inUtc}
   ), cleared as (
     update facility f set in_utc_since = null where f.in_utc_since is not null and f.id not in (select id from needed)
   ), noted as (
     insert into facility as f (id, name, zone, in_utc_since) select id, '', '', now() from needed
     on conflict (id) do update set in_utc_since = excluded.in_utc_since where f.in_utc_since is null
     returning f.id, f.host_zone
   ), reported as (
     insert into incident (incident_id, kind, details)
     select gen_random_uuid(), 'facility_without_zone', json_build_object('facility', id, 'zone', host_zone)::text from noted
   )
   select id as facility, host_zone as zone from noted order by id`,
);

export const listInUtc = statement(
  'facility_clocks_list_in_utc',
  `select id as facility, host_zone as zone from facility where in_utc_since is not null order by id`,
);

/** $1 facility. */
export const findZone = statement('facility_clocks_find_zone', `select zone from facility where id = $1`);
