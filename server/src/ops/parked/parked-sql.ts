import { statement } from '../../db/statement.ts';

/** The latest change of a stop by another user of the office. $1–$3 route, $4 stop, $5 after this version, $6 user. */
export const latestOfficeChange = statement(
  'ops_latest_office_change',
  `select employee as by, received_at as at from ledger
    where facility = $1 and route_id = $2 and week_end = $3 and stop_id = $4 and version > $5
      and source = 'office' and employee <> $6
    order by version desc limit 1`,
);
