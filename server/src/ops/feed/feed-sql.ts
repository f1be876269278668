import { statement } from '../../db/statement.ts';
import { flaggedFacilities } from '../flags/flags-sql.ts';

/**
 * A mark of each list: it differs from the one before where an entry of the list has come, gone or changed. The tables are
 * small or have an index for it; one statement a second and node reads them while a page follows. $1: flags received until
 * then need a person.
 */
export const readMarks = statement(
  'ops_read_marks',
  `select (select concat_ws(' ', count(*), max(parked_at), max(next_try_at), max(skipped_at)) from parked)
          || (select concat_ws(' ', count(*), max(parked_at), max(next_try_at), max(skipped_at)) from parked_row) as parked,
          (select concat_ws(' ', count(*), max(received_at), sum(attempts)) from quarantine where state = 'open') as quarantine,
          (select concat_ws(' ', count(*), count(acknowledged_at), max(at)) from incident) as incident,
          (select concat_ws(' ', count(*), max(starts_at), max(ends_at), count(*) filter (where starts_at <= now()),
                            count(*) filter (where ends_at <= now())) from replication_hold) as hold,
          (select concat_ws(' ', count(*), count(revoked_at), max(last_seen_at), sum(last_seq), sum(pending), sum(pending_files), sum(pending_bytes)) from client) as device,
          (select coalesce(string_agg(concat_ws(' ', worker, seen_at > now() - interval '20 s', state), ' ' order by worker), '')
             from worker_heartbeat)
          || (select concat_ws(' ', count(*), max(at)) from host_examination)
          || (select concat_ws(' ', max(started_at), max(updated_at)) from first_load) as host,
          (select concat_ws(' ', count(*), max(p.asked_at), count(p.given_up_at), count(m.sent_at))
             from proof_mail p left join mail_sent m on m.facility = p.facility and m.mutation_id = p.mail_id
            where p.asked_at > now() - interval '1 day') as proof,
          (select concat_ws(' ', max(r.at), (select max(l.received_at)
                                               from (${flaggedFacilities}) as f
                                               cross join lateral (
                                                 select x.received_at from ledger x
                                                  where x.facility = f.id and x.warnings is not null and x.received_at <= $1
                                                  order by x.received_at desc limit 1
                                               ) l))
             from flag_review r) as flag`,
);
