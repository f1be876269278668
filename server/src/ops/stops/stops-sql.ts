import { statement } from '../../db/statement.ts';
import { summaryColumns, summaryTables } from '../routes/routes-sql.ts';

// $1 facility, $2 route, $3 week, $4 stop.
const ofStop = 'facility = $1 and route_id = $2 and week_end = $3 and stop_id = $4';

/** The summary of a stop, with the names of its route and the first planned arrival there. */
export const readOpsStop = statement(
  'ops_read_stop',
  `select ${summaryColumns}, r.name as route_name,
          coalesce((select x.eta from stop_plan x
                     where x.facility = p.facility and x.route_id = p.route_id and x.week_end = p.week_end
                       and x.removed_at is null and x.eta <> ''
                     order by x.sequence, x.stop_id limit 1), '') as first_eta
     from stop_plan p ${summaryTables}
    where p.facility = $1 and p.route_id = $2 and p.week_end = $3 and p.stop_id = $4`,
);

/** The latest change that the stop took in. */
export const readLatestChange = statement(
  'ops_read_latest_change',
  `select l.id as mutation_id, l.version, l.source, l.employee, coalesce(e.name, '') as employee_name, l.captured_at,
          l.received_at
     from ledger l left join employee e on e.id = l.employee
    where l.facility = $1 and l.route_id = $2 and l.week_end = $3 and l.stop_id = $4 and l.result = 'applied'
    order by l.version desc, l.received_at desc limit 1`,
);

/** The route version of the latest change by a phone, and of all changes. */
export const readPhoneVersion = statement(
  'ops_read_phone_version',
  `select max(version) filter (where source in ('sync', 'rest')) as phone_version
     from ledger where ${ofStop} and result = 'applied'`,
);

/** The meanings of the codes of exceptions and of skipped or refused stops; a result may contain inactive ones. */
export const listReasons = statement(
  'ops_list_reasons',
  `select type, code, description from code where type in ('credit-reason', 'stop-exception')`,
);

/** $1 ids. */
export const listFileNames = statement('ops_list_file_names', 'select id, name from asset where id = any ($1::text[])');

/** $1 facility. */
export const readZone = statement('ops_read_zone', 'select zone from facility where id = $1');
