// Statements about cells run as a superuser at the coordinator. PostgreSQL itself quotes the names in the texts.

/** $1 cell. */
export const nameCell = `select format('set tailgate.cell = %L', $1::text) as text`;

/** A schema with an unlogged table cannot move. $1 cell. */
export const logTables = `select format('alter table %I.%I set logged', n.nspname, c.relname) as text
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = $1 and c.relkind = 'r' and c.relpersistence = 'u' order by 1`;

/** $1 cell. */
export const distributeSchema = `select format('select citus_schema_distribute(%L)', $1::text) as text`;

/** $1 cell, $2 host, $3 port. */
export const moveSchema = `select format('select citus_schema_move(%L, %L, %s)', $1::text, $2::text, $3::int) as text`;

/** The history of the node, which the newest epoch of the cell has from now on. $1 cell, $2 the query of a history. */
export const noteNode = `select format($do$do $$
declare found text;
begin
  select result into strict found from run_command_on_placements(%L, %L);
  update %I.server_epoch set node_cluster = split_part(found, ' ', 1), node_timeline = split_part(found, ' ', 2)::int
   where epoch = (select max(epoch) from %I.server_epoch);
end $$$do$, quote_ident($1::text) || '.server_epoch', $2::text, $1::text, $1::text) as text`;

/** Whether there is such a schema, whether Citus is there, and its tables. $1 cell. */
export const readCell = `select to_regnamespace(quote_ident($1::text)) is not null as found,
         to_regclass('pg_catalog.pg_dist_schema') is not null as citus,
         (select count(*)::int from pg_class c where c.relnamespace = to_regnamespace(quote_ident($1::text))
             and c.relkind = 'r') as tables,
         (select count(*)::int from pg_class c where c.relnamespace = to_regnamespace(quote_ident($1::text))
             and c.relkind = 'r' and c.relpersistence = 'u') as unlogged`;

/** The node of each shard of a cell. $1 cell. */
export const readNodes = `select n.nodename || ':' || n.nodeport as node, count(*)::int as tables
    from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    join pg_class c on c.oid = s.logicalrelid
   where c.relnamespace = to_regnamespace(quote_ident($1::text)) group by 1 order by 1`;

/** Statements of this database since the counters began that asked one shard, and that asked several. */
export const readCounters = `select coalesce(sum(query_execution_single_shard), 0)::int8 as single,
         coalesce(sum(query_execution_multi_shard), 0)::int8 as several
    from citus_stat_counters where name = current_database()`;
