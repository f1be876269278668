import { text, columns } from '../db/columns.ts';
import { statement } from '../db/statement.ts';

// Facts that have no leaf yet, at most $2 of them. A reader holds the lock of its log, so that each fact gets one leaf.

/**
 * Whether a fact has a leaf: one look into the unique index. `exists` would become a join, for which the planner reads the
 * whole of a table that has grown since its last analysis.
 */
const logged = (facility: string, kind: string, source: string): string =>
  `coalesce((select true from log_leaf f where f.facility = ${facility} and f.kind = '${kind}' and f.source = ${source}), false)`;

const mutationLogged = logged('l.facility', 'mutation', 'l.id::text');
const mutation = `l.id::text as id, l.route_id, l.week_end, l.stop_id, l.version, l.source, l.client_id, l.seq,
          encode(l.hash, 'hex') as hash, encode(l.prev_hash, 'hex') as prev_hash, l.employee, l.captured_at, l.edit_time,
          l.received_at, l.result, l.warnings`;

/** Changes of one route `k` in the order of its versions. Later ones at the last logged version changed nothing. */
const ofRoute = `left join log_progress p on p.facility = $1 and p.route_id = k.route_id and p.week_end = k.week_end
    cross join lateral (
      select ${mutation} from ledger l
       where l.facility = $1 and l.route_id = k.route_id and l.week_end = k.week_end
         and l.version >= coalesce(p.logged_through, 0) and not ${mutationLogged}
       order by l.version limit $2
    ) l limit $2`;

export interface RouteName {
  readonly route_id: string;
  readonly week_end: string;
}
const routes = columns<RouteName>(
  { route_id: text(({ route_id }) => route_id), week_end: text(({ week_end }) => week_end) },
  2,
);

/** Changes of these routes. $1 facility. */
export const mutationsOfRoutes = routes.statement(
  'log_mutations_of_routes',
  `select l.* from ${routes.rows} ${ofRoute}`,
);

/** Changes of all routes of a facility. $1 facility. */
export const mutationsOfFacility = statement(
  'log_mutations_of_facility',
  `select l.* from (select id as route_id, week_end from route where facility = $1) k ${ofRoute}`,
);

/** Load condition reports, which have no route. $1 since when. */
export const reports = statement(
  'log_reports',
  `select ${mutation} from ledger l
    where l.facility = '' and l.route_id = '' and l.received_at >= $1 and not ${mutationLogged}
    order by l.received_at limit $2`,
);

const fileLogged = logged(`''`, 'file', 'a.id');

/** Received files whose bytes are stored: only these are indexed by their receipt. */
const keptFile = `a.state = 'R' and a.purged_at is null and a.received_at >= $1 and not ${fileLogged}`;

/** $1 since when. */
export const files = statement(
  'log_files',
  `select a.id, encode(a.sha256, 'hex') as sha256, a.size, a.received_at from asset a
    where ${keptFile}
    order by a.received_at limit $2`,
);

const incidentLogged = logged(`''`, 'incident', 'i.incident_id::text');

/** $1 since when. */
export const incidents = statement(
  'log_incidents',
  `select i.incident_id as id, i.at, i.kind, i.client_id, i.employee, i.details from incident i
    where i.at >= $1 and not ${incidentLogged}
    order by i.at limit $2`,
);

const mailLogged = logged('m.facility', 'mail', 'm.mutation_id::text');

/** Mails that a mail server accepted. $1 since when, $3 facility. */
export const mails = statement(
  'log_mails',
  `select m.mutation_id as id, m.sent_at from mail_sent m
    where m.facility = $3 and m.sent_at >= $1 and not ${mailLogged}
    order by m.sent_at limit $2`,
);

const actLogged = logged(`coalesce(t.facility, '')`, 'act', 't.act_id::text');

/** Acts of the office. $1 since when, $3 facility; blank: acts that name none. */
export const acts = statement(
  'log_acts',
  `select t.act_id as id, t.at, t.by, t.act, t.subject_kind, t.subject, t.route_id, t.week_end, t.stop_id, t.employee,
          t.reason, t.before, t.after
     from operator_act t
    where coalesce(t.facility, '') = $3 and t.at >= $1 and not ${actLogged}
    order by t.at, t.act_id limit $2`,
);

/** Facilities with facts since $1 that no route announces. */
export const facilitiesWithFacts = statement(
  'log_facilities_with_facts',
  `select m.facility from mail_sent m where m.sent_at >= $1 and not ${mailLogged}
    union
   select coalesce(t.facility, '') from operator_act t where t.at >= $1 and not ${actLogged}
    union
   select '' where exists (select from asset a where ${keptFile})
                or exists (select from incident i where i.at >= $1 and not ${incidentLogged})
                or exists (select from ledger l where l.facility = '' and l.route_id = '' and l.received_at >= $1
                                                   and not ${mutationLogged})`,
);

/** Every facility that may have facts or a log. */
export const allFacilities = statement(
  'log_all_facilities',
  `select facility from route union select facility from log union select facility from mail_sent
    union select coalesce(facility, '') from operator_act union select ''`,
);
