import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const receivedAt = exactMoment('l.received_at');

/** Facilities with flags, each by one step in their index. */
export const flaggedFacilities = `
  with recursive step as (
    select min(facility) as id from ledger where warnings is not null
     union all
    select (select min(facility) from ledger where warnings is not null and facility > step.id) from step where id is not null
  ) select id from step where id is not null`;

/**
 * A page of saved changes with a warning, newest first. Each facility is read from its newest flag on, in the order of its
 * index. $1 facility or null, $2 route or null, $3 a part of the warnings' text or null, $4 the last moment of the page, $5
 * the id at it behind which the page begins, or null for all, $6 rows.
 */
export const listFlags = statement(
  'ops_list_flags',
  `select l.id, l.facility, l.route_id, l.week_end, l.stop_id, l.version, l.source, l.employee,
          coalesce(e.name, '') as employee_name, l.edit_time, l.received_at, l.warnings, ${receivedAt} as position
     from (${flaggedFacilities}) as f
    cross join lateral (
      select * from ledger x
       where x.facility = f.id and x.warnings is not null
         and ($2::text is null or x.route_id = $2)
         and ($3::text is null or position($3 in x.warnings) > 0)
         and x.received_at <= $4::timestamptz and ($5::uuid is null or (x.received_at, x.id) < ($4::timestamptz, $5::uuid))
       order by x.received_at desc, x.id desc limit $6
    ) l
     left join employee e on e.id = l.employee
    where $1::text is null or f.id = $1
    order by l.received_at desc, l.id desc
    limit $6`,
);

/** $1 code. */
export const readReview = statement(
  'ops_read_flag_review',
  'select code, reviewed_through, by, at from flag_review where code = $1',
);

/** $1 code, $2 until when, $3 author. */
export const saveReview = statement(
  'ops_save_flag_review',
  `insert into flag_review (code, reviewed_through, by, at) values ($1, $2, $3, now())
   on conflict (code) do update set reviewed_through = excluded.reviewed_through, by = excluded.by, at = excluded.at
   returning code, reviewed_through, by, at`,
);
