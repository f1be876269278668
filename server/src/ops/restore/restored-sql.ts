import { statement } from '../../db/statement.ts';

/** Servers that are connected to this database now. */
export const listServers = statement(
  'ops_list_servers',
  `select distinct application_name as name
     from pg_stat_activity
    where datname = current_database() and application_name in ('tailgate api', 'tailgate worker', 'tailgate all')
    order by 1`,
);

/** Whether this database has acts: a backup of an earlier release lacks the table until a server starts on it. */
export const hasActs = statement('ops_has_acts', `select to_regclass('operator_act') is not null as exists`);
