import { text, columns } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { logged } from './logged-sql.ts';

// Facts that have no leaf yet, at most $2 of them. A reader holds the lock of its log, so that each fact gets one leaf.

const mutationLogged = logged('l.facility', 'mutation', 'l.id::text');
const mutation = `l.id::text as id, l.route_id, l.week_end, l.stop_id, l.version, l.source, l.client_id, l.seq,
          encode(l.hash, 'hex') as hash, encode(l.prev_hash, 'hex') as prev_hash, l.employee, l.captured_at, l.edit_time,
          l.received_at, l.result, l.warnings`;

/**
 * Changes of one route `k` in the order of its versions. Only at the last logged version a change may have a leaf already:
 * later changes there are those that changed nothing.
 */
const ofRoute = `left join log_progress p on p.facility = $1 and p.route_id = k.route_id and p.week_end = k.week_end
    cross join lateral (
      select ${mutation} from ledger l
       where l.facility = $1 and l.route_id = k.route_id and l.week_end = k.week_end
         and l.version >= coalesce(p.logged_through, 0)
         and (p.logged_through is null or l.version > p.logged_through or not ${mutationLogged})
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

/** A write that the host confirmed: the sequence contains the version. A stop of a route has each sequence once. */
const hostSource = `h.route_id || '/' || h.week_end || '/' || h.stop_id || '/' || h.sequence`;

/**
 * The newest confirmation of each stop of the routes `k`. A parked stop may be confirmed behind later ones, and the clocks of two
 * workers differ: hence by time, with an overlap. The trace is the last value of the stop's row.
 */
const confirmationsOf = `left join log_progress p on p.facility = $1 and p.route_id = k.route_id and p.week_end = k.week_end
    cross join lateral (
      select ${hostSource} as id, h.route_id, h.week_end, h.stop_id, h.sequence, h.confirmed_at,
             substring(h.rows from '"([0-9A-Z]{12})"]]}}') as trace
        from host_shadow h
       where h.facility = $1 and h.route_id = k.route_id and h.week_end = k.week_end and h.stop_id <> -1
         and h.confirmed_at > coalesce(p.confirmed_through - interval '15 minutes', '-infinity')
         and not ${logged('h.facility', 'host', hostSource)}
       order by h.confirmed_at limit $2
    ) h limit $2`;

/** Confirmations of these routes. $1 facility. */
export const confirmationsOfRoutes = routes.statement(
  'log_confirmations_of_routes',
  `select h.* from ${routes.rows} ${confirmationsOf}`,
);

/** Confirmations of all routes of a facility. $1 facility. */
export const confirmationsOfFacility = statement(
  'log_confirmations_of_facility',
  `select h.* from (select id as route_id, week_end from route where facility = $1) k ${confirmationsOf}`,
);

const erasureLogged = logged('e.facility', 'erased', 'e.erased_id::text');

/** Deletions by retention. $1 since when, $3 facility or blank. */
export const erasures = statement(
  'log_erasures',
  `select e.erased_id as id, e.at, e.kind, e.rule, e.sources from erased_fact e
    where e.facility = $3 and e.at >= $1 and not ${erasureLogged}
    order by e.at, e.erased_id limit $2`,
);

/** Facilities with facts since $1 that no route announces. */
export const facilitiesWithFacts = statement(
  'log_facilities_with_facts',
  `select m.facility from mail_sent m where m.sent_at >= $1 and not ${mailLogged}
    union
   select e.facility from erased_fact e where e.at >= $1 and not ${erasureLogged}
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
    union select facility from erased_fact
    union select coalesce(facility, '') from operator_act union select ''`,
);
