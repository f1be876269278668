import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const receivedAt = exactMoment('received_at');

/** Facilities with flags, each by one step in their index. */
export const flaggedFacilities = `
  with recursive step as (
    select min(facility) as id from ledger where warnings is not null
     union all
    select (select min(facility) from ledger where warnings is not null and facility > step.id) from step where id is not null
  ) select id from step where id is not null`;

/**
 * A page of saved changes with a warning, newest first. $1 facility or null, $2 route or null, $3 a part of the
 * warnings' text or null, $4 position or null, $5 id at it, $6 rows.
 */
export const listFlags = statement(
  'ops_list_flags',
  `select id, facility, route_id, week_end, stop_id, version, source, employee, edit_time, received_at, warnings,
          ${receivedAt} as position
     from ledger
    where warnings is not null
      and ($1::text is null or facility = $1)
      and ($2::text is null or route_id = $2)
      and ($3::text is null or position($3 in warnings) > 0)
      and ($4::timestamptz is null or (received_at, id) < ($4, $5::uuid))
    order by received_at desc, id desc
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
