import { statement } from '../../db/statement.ts';
import { logged } from '../../tlog/logged-sql.ts';
import { heldFiles, isHeld, isRouteHeld } from '../legal-holds/held-sql.ts';

// Each statement deletes one batch of rows older than $1, at most $2 entries, and returns their number. Rows that
// another node deletes at the same moment are skipped. A legal hold in force at $3 keeps its rows. No
// fact goes before its leaf: a leaf commits together with the signed checkpoint that covers it. $4 is the rule.
const now = '$3';
const changeHeld = isHeld('l', now);
const proofHeld = isHeld('p', now);
const entryHeld = isHeld('q', now);
const actHeld = isHeld('t', now);
const routeHeld = isRouteHeld('r', now);
const filesOfHolds = heldFiles(now);
const mailLogged = logged('m.facility', 'mail', 'm.mutation_id::text');
const incidentLogged = logged(`''`, 'incident', 'i.incident_id::text');
const actLogged = logged(`coalesce(t.facility, '')`, 'act', 't.act_id::text');
const erasureLogged = logged('e.facility', 'erased', 'e.erased_id::text');
const fileLogged = logged(`''`, 'file', 'a.id');

/** A leaf about many facts is as long as its list of ids. */
const IDS_OF_A_LEAF = 256;

/**
 * The end of a statement: lists the facts of the common table `dropped` (facility, source) for a leaf `erased`. Without the salts of
 * their leaves, the commitments to names open no more.
 */
const erased = (kind: string): string =>
  `erased as (
     insert into erased_fact (facility, erased_id, at, kind, rule, sources)
     select facility, gen_random_uuid(), $3::timestamptz, '${kind}', $4::text, array_agg(source order by source)
       from (select facility, source, (row_number() over (partition by facility order by source) - 1) / ${IDS_OF_A_LEAF} as part
               from dropped) d
      group by facility, part
   ), forgotten as (
     delete from log_salt s using dropped d join log_leaf f on f.facility = d.facility and f.kind = '${kind}' and f.source = d.source
      where (s.facility, s.generation, s.leaf_index) = (f.facility, f.generation, f.leaf_index)
   )
   select 1 from dropped`;

const mutationErased = erased('mutation');
const routeErased = erased('route');
const fileErased = erased('file');
const mailErased = erased('mail');
const proofErased = erased('proof');
const incidentErased = erased('incident');
const quarantineErased = erased('quarantine');
const actErased = erased('act');

/** Whether the host has all of a route `r`: nothing is behind, and nothing is parked, skipped or not. */
const isHosted = `not r.behind and not exists (select from parked p where p.facility = r.facility and p.route_id = r.id
                                                               and p.week_end = r.week_end)`;

/** Records the `dropped` places of queues, in the order of queues, because other nodes write the same rows. */
const noted = `noted as (
     insert into expired_item (client_id, seqs)
     select client_id, range_agg(int8range(seq, seq, '[]'))
       from dropped where client_id is not null and seq is not null group by client_id order by client_id
     on conflict (client_id) do update set seqs = expired_item.seqs + excluded.seqs
   )`;
const changeLogged = logged('l.facility', 'mutation', 'l.id::text');

/** Changes of finished routes that are entirely on the host. $2 counts routes here. */
export const dropLedger = statement(
  'retain_drop_ledger',
  `with done as materialized (
     select r.facility, r.id, r.week_end
       from route r
      where (r.status = 'C' or r.withdrawn_at is not null)
        and coalesce(r.closed_at, r.withdrawn_at, r.changed_at) < $1
        and ${isHosted}
        and exists (select from ledger l where l.facility = r.facility and l.route_id = r.id
                                           and l.week_end = r.week_end and l.received_at < $1
                                           and not ${changeHeld} and ${changeLogged})
      limit $2
   ), dropped as (
     delete from ledger l using done d
      where l.facility = d.facility and l.route_id = d.id and l.week_end = d.week_end and l.received_at < $1
        and not ${changeHeld} and ${changeLogged}
     returning l.facility, l.id::text as source, l.client_id, l.seq
   ), ${noted}, ${mutationErased}`,
);

/**
 * The same for load condition reports, which have no route: a change stays while its report is not on the host, or is parked. A
 * revision has the time of its change.
 */
export const dropReportLedger = statement(
  'retain_drop_report_ledger',
  `with waiting as materialized (
     select v.received_at
       from load_report_revision v
       join (select report_id from load_report where hosted_version < version
             union select key from parked_row where file = 'LCRHDP') h using (report_id)
   ), dropped as (
     delete from ledger where (facility, id) in (
       select l.facility, l.id from ledger l
        where l.facility = '' and l.route_id = '' and l.week_end = '' and l.received_at < $1 and ${changeLogged}
          and not exists (select from waiting w where w.received_at = l.received_at)
        limit $2 for update of l skip locked
     ) returning facility, id::text as source, client_id, seq
   ), ${noted}, ${mutationErased}`,
);

/** A row `t` of a route `g` that this statement deletes. */
const sameRoute = '(t.facility, t.route_id, t.week_end) = (g.facility, g.id, g.week_end)';

/**
 * Routes that the host has deleted, with all their rows. While the host has a route, the import would bring it back.
 * The route's changes go first, because a history needs its stop.
 */
export const dropRoutes = statement(
  'retain_drop_routes',
  `with gone as materialized (
     select r.facility, r.id, r.week_end
       from route r
      where r.withdrawn_at < $1 and ${isHosted} and not ${routeHeld}
        and not exists (select from ledger l where l.facility = r.facility and l.route_id = r.id and l.week_end = r.week_end)
        and not exists (select from driver_sign_in s where s.facility = r.facility and s.route_id = r.id
                                                       and s.week_end = r.week_end and s.hosted_version < s.version)
      limit $2 for update of r skip locked
   ), plans as (
     delete from stop_plan t using gone g where ${sameRoute}
   ), results as (
     delete from stop_result t using gone g where ${sameRoute}
   ), drivers as (
     delete from route_driver t using gone g where ${sameRoute}
   ), sign_ins as (
     delete from driver_sign_in t using gone g where ${sameRoute}
   ), shadows as (
     delete from host_shadow t using gone g where ${sameRoute}
   ), leases as (
     delete from route_lease t using gone g where ${sameRoute}
   ), progress as (
     delete from log_progress t using gone g where ${sameRoute}
   ), awaited as (
     delete from awaited_asset t using gone g where ${sameRoute}
   ), dropped as (
     delete from route r using gone g where (r.facility, r.id, r.week_end) = (g.facility, g.id, g.week_end)
     returning r.facility, r.id || '/' || r.week_end as source
   ), ${routeErased}`,
);

/** The bytes of files that are complete on the host. The row with the hash remains. The sweep deletes the objects. */
export const dropFiles = statement(
  'retain_drop_files',
  `with ${filesOfHolds}, old as materialized (
     select a.id, a.content, a.object from asset a
      where a.state = 'R' and a.purged_at is null and a.received_at < $1 and a.hosted_version >= a.version
        and ${fileLogged}
        and not exists (select from parked_row p where p.file = 'ASSHDP' and p.key = a.id)
        and a.id not in (select id from held_file) and a.batch not in (select id from held_file)
      order by a.received_at limit $2 for update skip locked
   ), chunks as (
     delete from asset_chunk c using old where c.content = old.content
   ), objects as (
     insert into asset_gone_object (object) select object from old where object is not null
     on conflict (object) do nothing
   ), dropped as (
     update asset a set purged_at = now(), object = null from old where a.id = old.id
     returning '' as facility, a.id as source
   ), ${fileErased}`,
);

/** Records of sent delivery mails. By then no queued job could send one again. */
export const dropMails = statement(
  'retain_drop_mails',
  `with dropped as (
   delete from mail_sent where (facility, mutation_id) in (
     select m.facility, m.mutation_id from mail_sent m
      where m.sent_at < $1 and ${mailLogged}
        and not exists (select from ledger l where l.facility = m.facility and l.id = m.mutation_id and ${changeHeld})
        and not exists (select from proof_mail p where p.facility = m.facility and p.mail_id = m.mutation_id and ${proofHeld})
      order by m.sent_at limit $2 for update skip locked
   ) returning facility, mutation_id::text as source
   ), ${mailErased}`,
);

/** Requests of operators for a delivery summary: older ones than the kept records of sent mails. */
export const dropProofs = statement(
  'retain_drop_proofs',
  `with dropped as (
   delete from proof_mail where (facility, mail_id) in (
     select p.facility, p.mail_id from proof_mail p
      where p.asked_at < $1 and not ${proofHeld} order by p.asked_at limit $2 for update skip locked
   ) returning facility, mail_id::text as source
   ), ${proofErased}`,
);

/** Acknowledged incidents. A declared loss remains, because it belongs to the history of its queue. */
export const dropIncidents = statement(
  'retain_drop_incidents',
  `with dropped as (
   delete from incident where incident_id in (
     select i.incident_id from incident i
      where i.acknowledged_at < $1 and i.kind <> 'items_gone' and ${incidentLogged}
      order by i.acknowledged_at limit $2 for update skip locked
   ) returning '' as facility, incident_id::text as source
   ), ${incidentErased}`,
);

/** Settled entries of quarantine. */
export const dropSettled = statement(
  'retain_drop_settled',
  `with dropped as (
     delete from quarantine where quarantine_id in (
       select q.quarantine_id from quarantine q
        where q.state <> 'open' and q.resolved_at < $1 and not ${entryHeld}
        order by q.resolved_at limit $2 for update skip locked
     ) returning facility, quarantine_id::text as source, client_id, seq
   ), ${noted}, ${quarantineErased}`,
);

/** Acts of the office. */
export const dropActs = statement(
  'retain_drop_acts',
  `with dropped as (
   delete from operator_act where act_id in (
     select t.act_id from operator_act t
      where t.at < $1 and not ${actHeld} and ${actLogged}
      order by t.at limit $2 for update skip locked
   ) returning coalesce(facility, '') as facility, act_id::text as source
   ), ${actErased}`,
);

/** Lists of deletions that the log has. */
export const dropLogged = statement('retain_drop_logged', `delete from erased_fact e where ${erasureLogged}`);
