import { statement } from '../../db/statement.ts';
import { flaggedFacilities } from '../flags/flags-sql.ts';

// Entries that need a person, one select a kind: cause, file, code, message, id, at, place, employee, text, details.

const MOST_PARKED = 10_000;
/** Of any other kind. */
const MOST = 2_000;
/** Entries of a cause in the answer. */
const SHOWN = 5;

const noPlace = 'null::text as facility, null::text as route_id, null::text as week_end, null::int as stop_id';

/** A close that waits for parked stops is no refusal of the host. */
const waits = `p.stop_id < 0 and p.sqlstate = ''`;

/** Open entries, each file of which has causes of its own. */
const openStops = `select p.cause, p.parked_at, p.parked_id, p.facility, p.route_id, p.week_end, p.stop_id, p.reason
         from parked p where p.skipped_at is null and not (${waits})`;
const openRows = `select p.cause, p.parked_at, p.parked_id, null::text as facility, null::text as route_id, null::text as week_end,
              null::smallint as stop_id, p.reason
         from parked_row p where p.skipped_at is null`;

/**
 * Rows that the host refuses, counted by cause without their texts. The index by cause and age finds the oldest five and
 * the newest one of each.
 */
const parkedCauses = `
  select 'parked' as kind, 'parked:' || c.cause as cause, split_part(c.cause, ':', 1) as file, split_part(c.cause, ':', 2) as code,
         newest.message, c.count, c.capped, c.oldest_at, c.newest_at, oldest.items
    from (select cause, count(*)::int as count, sum(count(*)) over () >= ${MOST_PARKED} as capped,
                 min(parked_at) as oldest_at, max(parked_at) as newest_at
            from ((select cause, parked_at from (${openStops}) p order by parked_at limit ${MOST_PARKED})
                  union all
                  (select cause, parked_at from (${openRows}) p order by parked_at limit ${MOST_PARKED})) open
           group by cause) c
    cross join lateral (
      select left(e.reason, 500) as message
        from ((${openStops} and p.cause = c.cause order by p.parked_at desc limit 1)
              union all
              (${openRows} and p.cause = c.cause order by p.parked_at desc limit 1)) e
       order by e.parked_at desc limit 1
    ) newest
    cross join lateral (
      select json_agg(json_build_object('id', e.parked_id, 'at', e.parked_at, 'facility', e.facility, 'route_id', e.route_id,
                                        'week_end', e.week_end, 'stop_id', case when e.stop_id >= 0 then e.stop_id end,
                                        'employee', null, 'text', left(e.reason, 500)) order by e.parked_at, e.parked_id) as items
        from (select * from ((${openStops} and p.cause = c.cause order by p.parked_at, p.parked_id limit ${SHOWN})
                             union all
                             (${openRows} and p.cause = c.cause order by p.parked_at, p.parked_id limit ${SHOWN})) both_files
               order by parked_at, parked_id limit ${SHOWN}) e
    ) oldest`;

/** A close that waits for its parked stops for a moment needs no person. $1. */
const waitingCloses = `
  select 'late_close' as kind, 'late_close:waits' as cause, null::text as file, 'waits' as code, p.reason as message, p.parked_id::text as id,
         p.parked_at as at, p.facility, p.route_id, p.week_end, null::int as stop_id, null::text as employee, p.reason as text
    from parked p where p.skipped_at is null and ${waits} and p.parked_at < $1
   order by p.parked_at limit ${MOST}`;

const quarantine = `
  select 'quarantine' as kind, 'quarantine:' || q.code || ':' || q.name as cause, null::text as file, q.code, q.reason as message,
         q.quarantine_id::text as id, q.received_at as at, nullif(q.facility, '') as facility,
         nullif(q.route_id, '') as route_id, nullif(q.week_end, '') as week_end, q.stop_id::int,
         nullif(q.employee, '') as employee, q.reason as text
    from quarantine q where q.state = 'open' order by q.received_at limit ${MOST}`;

/** The details are parsed by the server: jsonb refuses some texts that JSON allows. */
const incidents = `
  select 'incident' as kind, 'incident:' || i.kind as cause, null::text as file, i.kind as code, '' as message, i.incident_id::text as id, i.at,
         ${noPlace}, i.employee, i.details as text
    from incident i where i.acknowledged_at is null order by i.at limit ${MOST}`;

/**
 * Warnings of saved changes, by code, since $2 and until $3: by then the batches that received them have committed. A
 * mark finds the codes: a recorded text cannot imitate it, because JSON escapes its quotes. Each facility is read from
 * its oldest flag on, until enough of them are not reviewed.
 */
const flags = `
  select 'flag' as kind, 'flag:' || l.code as cause, null::text as file, l.code, '' as message, l.id::text as id, l.received_at as at,
         nullif(l.facility, '') as facility, nullif(l.route_id, '') as route_id, nullif(l.week_end, '') as week_end,
         l.stop_id::int, l.employee, '' as text
    from (${flaggedFacilities}) as f
    cross join lateral (
      select x.id, x.facility, x.route_id, x.week_end, x.stop_id, x.employee, x.received_at, w.code from ledger x
        cross join lateral (
          select distinct split_part(part, '"', 1) as code
            from unnest((string_to_array(x.warnings, '"code":"'))[2:]) as part
        ) w
        left join flag_review r on r.code = w.code
       where x.facility = f.id and x.warnings is not null and x.received_at > $2 and x.received_at <= $3
         and (r.code is null or x.received_at > r.reviewed_through)
       order by x.received_at limit ${MOST}
    ) l
   order by l.received_at limit ${MOST}`;

/** Phones with pending items that did not report since $4. */
const phones = `
  select 'silent_phone' as kind, 'silent_phone' as cause, null::text as file, null::text as code, '' as message, c.client_id::text as id,
         c.last_seen_at as at, nullif(e.facility, '') as facility, null::text as route_id, null::text as week_end,
         null::int as stop_id, c.employee, concat_ws(' · ', nullif(e.name, ''), nullif(c.device, '')) as text
    from client c left join employee e on e.id = c.employee
   where (c.pending > 0 or c.pending_files > 0) and c.revoked_at is null and c.last_seen_at < $4
   order by c.last_seen_at limit ${MOST}`;

/** Files that a stop names and that were awaited before $4. A day later an incident names them. */
const files = `
  select 'missing_file' as kind, 'missing_file' as cause, null::text as file, null::text as code, '' as message, a.id, a.expected_at as at,
         w.facility, w.route_id, w.week_end, w.stop_id::int, null::text as employee, '' as text
    from asset a
    left join lateral (select * from awaited_asset k where k.asset_id = a.id
                        order by k.facility, k.route_id, k.week_end, k.stop_id limit 1) w on true
   where a.state = 'L' and a.expected_at < $4 order by a.expected_at limit ${MOST}`;

/** Holds without an end, in force since before $4. */
const holds = `
  select 'hold' as kind, 'hold:' || h.source as cause, null::text as file, h.source as code, h.reason as message, h.hold_id::text as id,
         h.starts_at as at, ${noPlace}, null::text as employee, h.held_by as text
    from replication_hold h where h.ends_at is null and h.starts_at < $4 order by h.starts_at limit ${MOST}`;

/** Routes dispatched before the day $5 that were begun and are open, since their last change by a driver. */
const openRoutes = `
  select 'late_close' as kind, 'late_close:open' as cause, null::text as file, 'open' as code, '' as message,
         concat_ws('/', r.facility, r.id, r.week_end) as id, coalesce(l.received_at, r.changed_at) as at, r.facility, r.id as route_id, r.week_end,
         null::int as stop_id, null::text as employee, r.name as text
    from route r
    left join lateral (select k.received_at from ledger k
                        where k.facility = r.facility and k.route_id = r.id and k.week_end = r.week_end
                        order by k.version desc limit 1) l on true
   where r.status = 'O' and r.dispatched_on <> '' and r.dispatched_on < $5 and r.withdrawn_at is null
     and (r.arrived or exists (select from stop_result s where s.facility = r.facility and s.route_id = r.id
                                                           and s.week_end = r.week_end and s.status <> 'P'))
   order by at limit ${MOST}`;

/**
 * All kinds, grouped by cause, with the oldest five entries of each. $1–$5 are the moments before which an entry needs a
 * person: $1 of a close that waits; $2 and $3 the first and the last moment of flags; $4 of phones, files and holds; $5 the
 * day of a route.
 */
export const readAttention = statement(
  'ops_read_attention',
  `with entry as (
     (${waitingCloses})
     union all (${quarantine})
     union all (${incidents})
     union all (${flags})
     union all (${phones})
     union all (${files})
     union all (${holds})
     union all (${openRoutes})
   ), placed as (
     select e.*, count(*) over (partition by kind) >= ${MOST} as capped,
            row_number() over (partition by kind, cause order by at, id) as place,
            row_number() over (partition by kind, cause order by at desc, id desc) as place_from_newest
       from entry e
   )
   ${parkedCauses}
    union all
   select kind, cause, max(file) as file, max(code) as code, max(left(message, 500)) filter (where place_from_newest = 1) as message,
          count(*)::int as count, bool_or(capped) as capped, min(at) as oldest_at, max(at) as newest_at,
          json_agg(json_build_object('id', id, 'at', at, 'facility', facility, 'route_id', route_id, 'week_end', week_end,
                                     'stop_id', stop_id, 'employee', employee, 'text', left(text, 500)) order by place)
            filter (where place <= ${SHOWN}) as items
     from placed group by kind, cause`,
);
