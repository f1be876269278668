import { asJsonb } from '../db/jsonb-sql.ts';
import { statement } from '../db/statement.ts';

const doc = asJsonb('s.doc');

export const readDatabaseTime = statement('clock_database_time', `select clock_timestamp() as at`);

/**
 * Routes with a writer after $1: later edits lose to it until then. The statement reads the documents of few routes,
 * mostly of none.
 */
export const countStampsAfter = statement(
  'clock_count_stamps',
  `select count(*)::int as routes from route r
    where r.newest_stamp > $1
      and exists (select from stop_result s
                   where s.facility = r.facility and s.route_id = r.id and s.week_end = r.week_end
                     and jsonb_path_exists(${doc}, '$.by[*].at ? (@ > $limit)',
                                           jsonb_build_object('limit', extract(epoch from $1::timestamptz) * 1000)))`,
);
