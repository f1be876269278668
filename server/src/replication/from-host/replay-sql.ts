import { statement } from '../../db/statement.ts';

const key = 'facility, route_id as id, week_end';

/** Routes with confirmed rows. $1 facility, $2 route, $3 week, each or null; $4 changed since or null, $5 changed before or null. */
export const listReplayed = statement(
  'replay_list',
  `select r.facility, r.id, r.week_end, coalesce(f.zone, '') as zone
     from route r left join facility f on f.id = r.facility
    where ($1::text is null or r.facility = $1) and ($2::text is null or r.id = $2) and ($3::text is null or r.week_end = $3)
      and r.withdrawn_at is null
      and exists (select from host_shadow h where h.facility = r.facility and h.route_id = r.id and h.week_end = r.week_end
                                             and ($4::timestamptz is null or h.confirmed_at >= $4)
                                             and ($5::timestamptz is null or h.confirmed_at < $5))
    order by r.facility, r.id, r.week_end`,
);

/** The stops of a route with a result, and their confirmed rows. $1–$3 route. */
export const loadReplayed = statement(
  'replay_load',
  `select s.stop_id, s.version, s.doc, h.rows as shadow, p.stop_id is not null as parked,
          (select coalesce(max(epoch), 1) from server_epoch) as epoch,
          s.version <= r.shadow_through as in_shadow
     from stop_result s
     left join host_shadow h using (facility, route_id, week_end, stop_id)
     left join parked p using (facility, route_id, week_end, stop_id)
     join route r on r.facility = s.facility and r.id = s.route_id and r.week_end = s.week_end
    where s.facility = $1 and s.route_id = $2 and s.week_end = $3
    order by s.stop_id`,
);

/** The confirmed row of a route itself. $1–$3 route. */
export const loadReplayedHeader = statement(
  'replay_load_header',
  'select rows from host_shadow where facility = $1 and route_id = $2 and week_end = $3 and stop_id = -1',
);

/** The route goes to the host again, with its own row. $1–$3 route. */
export const rewriteRoute = statement(
  'replay_rewrite_route',
  `update route set version = version + 1, changed_at = now()
    where facility = $1 and id = $2 and week_end = $3 and version <= greatest(hosted_through, shadow_through)`,
);

/** Received files that count as hosted. $1 ids. */
export const listHostedFiles = statement(
  'replay_list_files',
  `select id from asset where id = any ($1::text[]) and state = 'R' and hosted_version > 0 and host_mode is distinct from 'shadow' and purged_at is null order by id`,
);

/** These files go to the host again. $1 ids. */
export const rewriteFiles = statement(
  'replay_rewrite_files',
  'update asset set hosted_version = 0 where id = any ($1::text[])',
);

/** Edits of the office with a time after $1, the oldest first. */
export const listOfficeEdits = statement(
  'replay_list_office',
  `select ${key}, stop_id as stop, employee as by, edit_time as at from ledger
    where source = 'office' and edit_time > $1 order by edit_time`,
);

/** Users and load reports go to the host again. $1 changed since. */
export const rewriteUsers = statement(
  'replay_rewrite_users',
  'update account set hosted_version = 0 where hosted_version > 0 and greatest(changed_at, last_seen_at) >= $1',
);
export const rewriteReports = statement(
  'replay_rewrite_reports',
  `update load_report h set hosted_version = 0 where hosted_version > 0 and not shadowed
      and exists (select from load_report_revision v where v.report_id = h.report_id and v.received_at >= $1)`,
);
