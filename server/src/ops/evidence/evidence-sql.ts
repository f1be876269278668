import { columns, text } from '../../db/columns.ts';
import { statement } from '../../db/statement.ts';
import { modeIn } from '../../modes/modes-sql.ts';

// Unless stated otherwise: $1 facility, $2 route, $3 week, $4 stop.
const ofStop = 'facility = $1 and route_id = $2 and week_end = $3 and stop_id = $4';

/** The first statement of a transaction: all reads see one moment, and no write waits for them. */
export const readOneMoment = 'set transaction isolation level repeatable read, read only';

/** The stops of a route in their order. $1 facility, $2 route, $3 week, $4 rows. */
export const listStopsOfRoute = statement(
  'evidence_list_route',
  `select s.facility, s.route_id, s.week_end, s.stop_id
     from stop_result s
     left join stop_plan p using (facility, route_id, week_end, stop_id)
    where s.facility = $1 and s.route_id = $2 and s.week_end = $3 and p.removed_at is null
    order by p.sequence, s.stop_id limit $4`,
);

/** $1 facility, $2 route, $3 week. */
export const findRoute = statement(
  'evidence_find_route',
  'select 1 from route where facility = $1 and id = $2 and week_end = $3 and published_at is not null',
);

const modeOfRoute = modeIn('r.facility');

/** Whether the host does not get a result of this version. $1 facility, $2 route, $3 week, $4 version or null. */
export const isInShadow = statement(
  'evidence_is_in_shadow',
  `select coalesce(${modeOfRoute}, 'live') <> 'live' or coalesce($4 <= r.shadow_through, false) as in_shadow
     from route r where r.facility = $1 and r.id = $2 and r.week_end = $3`,
);

/** The stops of a customer by the day of dispatch. $1 facility, $2 customer, $3 and $4 first and last day, $5 rows. */
export const listStopsOfCustomer = statement(
  'evidence_list_customer',
  `select p.facility, p.route_id, p.week_end, p.stop_id
     from stop_plan p
     join route r on r.facility = p.facility and r.id = p.route_id and r.week_end = p.week_end
     join stop_result s on s.facility = p.facility and s.route_id = p.route_id and s.week_end = p.week_end
                       and s.stop_id = p.stop_id
    where p.customer = $2 and p.facility = $1 and p.removed_at is null and r.published_at is not null
      and r.dispatched_on between $3 and $4
    order by r.dispatched_on, p.week_end, p.route_id, p.stop_id limit $5`,
);

export const listSeals = statement(
  'evidence_list_seals',
  `select id, encode(hash, 'hex') as hash, encode(prev_hash, 'hex') as prev_hash from ledger where ${ofStop}`,
);

/** The places of queues among these whose changes retention has deleted. $1 queues or sources, $2 numbers. */
export const findExpired = statement(
  'evidence_find_expired',
  `select k.client, k.seq from unnest($1::text[], $2::bigint[]) as k (client, seq)
     join expired_item e on e.client_id::text = k.client where e.seqs @> k.seq`,
);

/** The files of these ids, each with its whole upload. $1 ids. */
export const listEvidenceFiles = statement(
  'evidence_list_files',
  `select id, batch, state, name, mime, size, encode(sha256, 'hex') as sha256, content, object, received_at,
          purged_at is not null as purged
     from asset where id = any ($1::text[]) or batch = any ($1::text[])
    order by batch, seq`,
);

/** Acts on the stop and on its whole route. Acts about evidence are no part of it: each pack would change the next one. */
export const listStopActs = statement(
  'evidence_list_acts',
  `select act_id, at, by, act, subject_kind, subject, stop_id, reason, before, after
     from operator_act
    where facility = $1 and route_id = $2 and week_end = $3 and (stop_id = $4 or stop_id is null)
      and subject_kind <> 'evidence'
    order by at, act_id`,
);

/** The latest revision of each report of a load by a driver of its route. $1 facility, $2 route, $3 week, $4 load. */
export const listLoadReports = statement(
  'evidence_list_reports',
  `select r.report_id, r.revision, r.driver_id, r.captured_at, r.received_at, r.doc
     from load_report_revision r
     join load_report h on h.report_id = r.report_id and h.version = r.revision
    where r.load_id = $4
      and exists (select from route_driver d
                   where d.facility = $1 and d.route_id = $2 and d.week_end = $3 and d.employee = r.driver_id)
    order by r.captured_at, r.report_id`,
);

/** A fact as its log names it. */
export interface FactName {
  readonly kind: string;
  readonly source: string;
}
const facts = columns<FactName>({ kind: text(({ kind }) => kind), source: text(({ source }) => source) }, 1);

/** The leaves of these facts in the order of their logs. $1 facility. */
export const findLeaves = facts.statement(
  'evidence_find_leaves',
  `select f.facility, f.generation, f.leaf_index as index, f.kind, f.source, f.entry, s.salt
     from ${facts.rows}
     join log_leaf f on f.facility = $1 and f.kind = k.kind and f.source = k.source
     left join log_salt s using (facility, generation, leaf_index)
    order by f.generation, f.leaf_index`,
);

/** The present log of a facility, or of the service, and its newest key. $1 facility. */
export const findSealer = statement(
  'evidence_find_sealer',
  `select l.origin, k.key from log l join log_key k using (facility, generation)
    where l.facility in ($1, '') and l.ended_at is null
    order by l.facility desc, k.from_size desc limit 1`,
);

/** The oldest stored checkpoints that have a leaf. $1 facility, $2 generation, $3 leaf. */
export const listCheckpoints = statement(
  'evidence_list_checkpoints',
  `select note from log_checkpoint where facility = $1 and generation = $2 and size > $3 order by size limit 50`,
);
