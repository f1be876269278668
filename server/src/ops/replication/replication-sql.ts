import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const changedAt = exactMoment('r.changed_at');

/** The time of the oldest change of the route `r` that the host lacks. */
const oldestPending = `left join lateral (
       select l.received_at from ledger l
        where l.facility = r.facility and l.route_id = r.id and l.week_end = r.week_end and l.version > greatest(r.hosted_through, r.shadow_through)
        order by l.version limit 1
     ) l on true`;

/** The backlog of each file of the host, with the time of its oldest change. */
export const listFileBacklog = statement(
  'ops_list_file_backlog',
  `with routes as (
     select r.facility, r.id, r.week_end, greatest(r.hosted_through, r.shadow_through) as done_through, l.received_at
       from route r ${oldestPending} where r.behind
   ), pending as (
     select 'RTSTUP' as file, 1 as place, (select count(*) from routes r
                            join stop_result s on s.facility = r.facility and s.route_id = r.id
                                              and s.week_end = r.week_end and s.version > r.done_through) as behind,
            (select min(received_at) from routes) as oldest_at
      union all
     select 'PODUSRP', 2, count(*), min(greatest(changed_at, last_seen_at)) from account where hosted_version < version
      union all
     select 'RTDRVP', 3, count(*), min(signed_in_at) from driver_sign_in where hosted_version < version
      union all
     select 'LCRHDP', 4, count(*), min(v.received_at)
       from load_report h join load_report_revision v on v.report_id = h.report_id and v.revision = h.hosted_version + 1
      where h.hosted_version < h.version
      union all
     select 'ASSHDP', 5, count(*), min(coalesce(received_at, expected_at)) from asset where hosted_version < version
   ), refused as (
     select file, count(*) as parked from parked_row where skipped_at is null group by file
      union all
     select 'RTSTUP', count(*) from parked where skipped_at is null
   )
   select file, behind::int as behind, coalesce(parked, 0)::int as parked, oldest_at
     from pending left join refused using (file)
    order by place`,
);

/** $1 facility or null; $2–$5 the end of the page before (moment, facility, route, week) or nulls; $6 rows. */
export const listRouteBacklog = statement(
  'ops_list_route_backlog',
  `select r.facility, r.id as route_id, r.week_end, r.version, r.hosted_through, r.changed_at, l.received_at as oldest_at,
          (select count(*)::int from parked p where p.facility = r.facility and p.route_id = r.id
                                                and p.week_end = r.week_end and p.skipped_at is null) as parked,
          k.owner is not null as claimed, k.owner as claimed_by,
          ${changedAt} as position
     from route r ${oldestPending}
     left join route_lease k on k.facility = r.facility and k.route_id = r.id and k.week_end = r.week_end
                            and k.expires_at > now()
    where r.behind and ($1::text is null or r.facility = $1)
      and ($2::timestamptz is null or (r.changed_at, r.facility, r.id, r.week_end) > ($2, $3::text, $4::text, $5::text))
    order by r.changed_at, r.facility, r.id, r.week_end
    limit $6`,
);
