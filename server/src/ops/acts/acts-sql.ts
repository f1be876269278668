import { cellSuffix } from '../../db/cell.ts';
import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const at = exactMoment('at');

/**
 * A page of acts, newest first. $1 by, $2 kind of the subject, $3 subject, $4 facility, $5 route, $6 week, $7 stop,
 * $8 employee, $9 from, $10 until, each or null; $11 position or null, $12 id at it, $13 rows.
 */
export const listActs = statement(
  'ops_list_acts',
  `select act_id, at, by, act, subject_kind, subject, facility, route_id, week_end, stop_id, employee, reason, before,
          after, ${at} as position
     from operator_act
    where ($1::text is null or by = $1)
      and ($2::text is null or subject_kind = $2)
      and ($3::text is null or subject = $3)
      and ($4::text is null or facility = $4)
      and ($5::text is null or route_id = $5)
      and ($6::text is null or week_end = $6)
      and ($7::int is null or stop_id = $7)
      and ($8::text is null or employee = $8)
      and ($9::timestamptz is null or at >= $9) and ($10::timestamptz is null or at < $10)
      and ($11::timestamptz is null or (at, act_id) < ($11, $12::uuid))
    order by at desc, act_id desc
    limit $13`,
);

/** Ends with the transaction. $1 kind and id of the subject. */
export const lockSubject = statement(
  'ops_lock_subject',
  `select pg_advisory_xact_lock(hashtextextended('act on ' || $1 || ${cellSuffix}, 0))`,
);

/** As `lockSubject`, but others may share it. */
export const shareSubject = statement(
  'ops_share_subject',
  `select pg_advisory_xact_lock_shared(hashtextextended('act on ' || $1 || ${cellSuffix}, 0))`,
);

/** $1 kind of the subject, $2 subject, $3 acts, $4 not before. */
export const latestAct = statement(
  'ops_latest_act',
  `select by, at, act from operator_act
    where subject = $2 and subject_kind = $1 and act = any($3::text[]) and at >= $4
    order by at desc, act_id desc limit 1`,
);
