import { asJsonb } from '../../db/jsonb-sql.ts';
import { statement } from '../../db/statement.ts';

const details = asJsonb('i.details');

// Unless stated otherwise: $1 facility, $2 route, $3 week, $4 stop.
const ofStop = 'facility = $1 and route_id = $2 and week_end = $3 and stop_id = $4';

/** One row where the route exists. The columns of the stop are null where the route has no such stop. */
export const readStopState = statement(
  'ops_read_standing',
  `select r.hosted_through, r.shadow_through, s.version, s.status, s.doc, h.sequence, h.rows as shadow, h.confirmed_at,
          p.parked_id, p.parked_at, p.reason as parked_reason, p.skipped_at, p.skipped_by, p.skip_reason
     from route r
     left join stop_result s on s.facility = r.facility and s.route_id = r.id and s.week_end = r.week_end and s.stop_id = $4
     left join host_shadow h on h.facility = r.facility and h.route_id = r.id and h.week_end = r.week_end and h.stop_id = $4
     left join parked p on p.facility = r.facility and p.route_id = r.id and p.week_end = r.week_end and p.stop_id = $4
    where r.facility = $1 and r.id = $2 and r.week_end = $3`,
);

export const listLedger = statement(
  'ops_list_ledger',
  `select l.id, l.version, l.source, l.result, l.employee, coalesce(e.name, '') as employee_name, l.client_id, l.seq,
          coalesce(c.device, '') as device, coalesce(c.app, '') as app, l.captured_at, l.edit_time, l.received_at,
          coalesce(l.warnings, '[]') as warnings, l.body
     from ledger l
     left join employee e on e.id = l.employee
     left join client c on c.client_id = l.client_id
    where l.facility = $1 and l.route_id = $2 and l.week_end = $3 and l.stop_id = $4
    order by l.version, l.received_at, l.id`,
);

export const listQuarantined = statement(
  'ops_list_kept',
  `select quarantine_id, id, employee, code, reason, received_at, state
     from quarantine where ${ofStop} order by received_at, quarantine_id`,
);

/** $1 ids. A file without an announcement has no row. */
export const listFiles = statement(
  'ops_list_files',
  `select k.id as asset_id, coalesce(a.state, 'L') as state, coalesce(a.mime, '') as mime, coalesce(a.size, 0) as size,
          a.received_at, encode(a.sha256, 'hex') as sha256,
          coalesce(a.hosted_version >= a.version and a.host_mode is distinct from 'shadow', false) as hosted
     from unnest($1::text[]) with ordinality as k (id, place) left join asset a on a.id = k.id
    order by k.place`,
);

/** Delivery mails that a mail server has accepted. */
export const listMails = statement(
  'ops_list_mails',
  `select m.mutation_id, m.sent_at
     from ledger l join mail_sent m on m.facility = l.facility and m.mutation_id = l.id
    where l.facility = $1 and l.route_id = $2 and l.week_end = $3 and l.stop_id = $4
    order by m.sent_at, m.mutation_id`,
);

/** Delivery summaries that operators have sent, newest first. */
export const listProofs = statement(
  'ops_list_proofs',
  `select p.mail_id, p.address, p.by, p.asked_at, p.given_up_at, m.sent_at
     from proof_mail p left join mail_sent m on m.facility = p.facility and m.mutation_id = p.mail_id
    where p.facility = $1 and p.route_id = $2 and p.week_end = $3 and p.stop_id = $4
    order by p.asked_at desc, p.mail_id desc`,
);

export const listSealed = statement(
  'ops_list_sealed',
  `select id, version, client_id, seq, employee, hash, prev_hash, body
     from ledger where ${ofStop} order by version, received_at, id`,
);

/**
 * Known reasons for missing items: a phone declared them lost, or retention deleted them. $1 queues, $2 places in them.
 */
export const findAbsent = statement(
  'ops_find_absent',
  `select k.client_id, k.seq, 'lost' as why
     from unnest($1::uuid[], $2::bigint[]) as k (client_id, seq)
    where exists (select from incident i where i.kind = 'items_gone' and i.client_id = k.client_id
                                           and k.seq between (${details}->>'from')::bigint and (${details}->>'to')::bigint)
    union all
   select k.client_id, k.seq, 'expired'
     from unnest($1::uuid[], $2::bigint[]) as k (client_id, seq) join expired_item e using (client_id)
    where e.seqs @> k.seq`,
);

/**
 * Items of queues in every place: on any route of their drivers, in reports, in quarantine, or submitted by another
 * queue. The query uses the ledger's index on routes. An index on queues would burden a hot path for a rare query. $1
 * queues, $2 places in them, $3 employees.
 */
export const findSealed = statement(
  'ops_find_sealed',
  `with wanted as (
     select * from unnest($1::uuid[], $2::bigint[]) as k (client_id, seq)
   ), places as (
     select distinct facility, route_id, week_end from route_driver where employee = any ($3::text[])
      union all
     select '', '', ''
   )
   select l.id, l.client_id, l.seq, l.hash, l.prev_hash
     from places join ledger l using (facility, route_id, week_end) join wanted using (client_id, seq)
    union all
   select q.id, q.client_id, q.seq, q.hash, q.prev_hash from quarantine q join wanted using (client_id, seq)
    where q.state <> 'released'
    union all
   select p.id, p.client_id, p.seq, p.hash, p.prev_hash from repeated_item p join wanted using (client_id, seq)`,
);
