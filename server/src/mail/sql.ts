import { statement } from '../db/statement.ts';
import { modeIn } from '../modes/modes-sql.ts';

const modeOfFacility = modeIn('$1');

/**
 * One moment's state of a stop for its summary: a row for an existing route, its plan null where there is no such stop.
 * $1 facility, $2 route, $3 week, $4 stop.
 */
export const readStop = statement(
  'mail_read_stop',
  `select r.name as route_name, r.published_at is not null as published,
          coalesce(f.name, '') as facility, coalesce(f.zone, '') as zone, p.doc as plan, s.doc as result,
          (select coalesce(json_object_agg(d.employee, coalesce(e.name, '')), '{}')
             from route_driver d left join employee e on e.id = d.employee
            where d.facility = r.facility and d.route_id = r.id and d.week_end = r.week_end) as drivers
     from route r
     left join facility f on f.id = r.facility
     left join stop_plan p on p.facility = r.facility and p.route_id = r.id and p.week_end = r.week_end
                          and p.stop_id = $4
     left join stop_result s on s.facility = r.facility and s.route_id = r.id and s.week_end = r.week_end
                            and s.stop_id = p.stop_id
    where r.facility = $1 and r.id = $2 and r.week_end = $3`,
);

/** The meanings of the codes of exceptions and of skipped or refused stops; a result may contain inactive ones. */
export const readReasons = statement(
  'mail_read_reasons',
  `select type, code, description from code where type in ('credit-reason', 'stop-exception')`,
);

/** Whether a mail is finished, its finished recipients, how many of them have it, and the mode of its facility. $1 facility, $2 mutation. */
export const readProgress = statement(
  'mail_read_progress',
  `select exists (select from mail_sent where facility = $1 and mutation_id = $2) as sent,
          coalesce(json_agg(address), '[]') as settled, (count(*) filter (where taken))::int as taken,
          ${modeOfFacility} as mode
     from mail_recipient where facility = $1 and mutation_id = $2`,
);

/** $1 facility, $2 mutation, $3 addresses, those that have it first, $4 how many have it, $5 now. */
export const saveSettled = statement(
  'mail_save_settled',
  `insert into mail_recipient (facility, mutation_id, address, taken, settled_at)
   select $1, $2, k.address, k.place <= $4, $5
     from unnest($3::text[]) with ordinality as k (address, place)
   on conflict do nothing`,
);

/** A mail is finished; its recipients are deleted. $1 facility, $2 mutation, $3 now. */
export const saveSent = statement(
  'mail_save_sent',
  `with recipients as (delete from mail_recipient where facility = $1 and mutation_id = $2)
   insert into mail_sent (facility, mutation_id, sent_at) values ($1, $2, $3) on conflict do nothing`,
);

/** Reports a mail that no retry could deliver. $1 facility, $2 mutation, $3 details. */
export const saveGivenUp = statement(
  'mail_save_given_up',
  `with recipients as (delete from mail_recipient where facility = $1 and mutation_id = $2),
        proof as (update proof_mail set given_up_at = now() where facility = $1 and mail_id = $2)
   insert into incident (incident_id, kind, details) values (gen_random_uuid(), 'mail_given_up', $3)`,
);
