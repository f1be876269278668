import type { Statement } from '../db/types.ts';

/**
 * All of one moment that a delivery mail tells of a stop, and whether it went out before.
 * $1–$4 facility, route, week, stop; $5 the mutation.
 */
export const readStop: Statement = {
  name: 'mail_read_stop',
  text: `select r.name as route_name, coalesce(f.zone, '') as zone, p.doc as plan, s.doc as result,
                exists (select from mail_sent m where m.facility = r.facility and m.mutation_id = $5) as sent,
                (select coalesce(json_object_agg(d.employee, coalesce(e.name, '')), '{}')
                   from route_driver d left join employee e on e.id = d.employee
                  where d.facility = r.facility and d.route_id = r.id and d.week_end = r.week_end) as drivers
           from route r
           left join facility f on f.id = r.facility
           join stop_plan p on p.facility = r.facility and p.route_id = r.id and p.week_end = r.week_end
           join stop_result s on s.facility = r.facility and s.route_id = r.id and s.week_end = r.week_end
                             and s.stop_id = p.stop_id
          where r.facility = $1 and r.id = $2 and r.week_end = $3 and p.stop_id = $4`,
};

/** What the codes of exceptions and of skipped or refused stops mean; inactive ones may still stand in a result. */
export const readReasons: Statement = {
  name: 'mail_read_reasons',
  text: `select type, code, description from code where type in ('credit-reason', 'stop-exception')`,
};

/** $1 facility, $2 mutation, $3 now. */
export const saveSent: Statement = {
  name: 'mail_save_sent',
  text: `insert into mail_sent (facility, mutation_id, sent_at) values ($1, $2, $3) on conflict do nothing`,
};

/** A mail that no retry could bring out is something that a person must know of. $1 details. */
export const saveGivenUp: Statement = {
  name: 'mail_save_given_up',
  text: `insert into incident (incident_id, kind, details) values (gen_random_uuid(), 'mail_given_up', $1)`,
};
