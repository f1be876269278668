import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const countedAt = exactMoment('c.counted_at');

/** Sorts the counts of one route at one moment. */
const place = `c.week_end || '/' || c.occasion || '/' || c.day`;

/**
 * A page, the newest count first. $1 differing ones only, $2 facility, $3 route, $4 day, each or null; $5–$8 the end of
 * the page before (moment, facility, route, place) or nulls; $9 rows.
 */
export const listReconciliation = statement(
  'ops_list_reconciliation',
  `select c.facility, c.route_id, c.week_end, c.occasion, c.day, c.counted_at, c.differs, c.counts, c.stops,
          ${place} as place, ${countedAt} as position
     from reconciliation c
    where ($1::boolean is false or c.differs)
      and ($2::text is null or c.facility = $2)
      and ($3::text is null or c.route_id = $3)
      and ($4::text is null or c.day = $4)
      and ($5::timestamptz is null or (c.counted_at, c.facility, c.route_id, ${place}) < ($5, $6::text, $7::text, $8::text))
    order by c.counted_at desc, c.facility desc, c.route_id desc, place desc
    limit $9`,
);
