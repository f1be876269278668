-- What our statements read of Db2's catalog, made in the PostgreSQL behind the stand-in library: for tests only.
create schema sysibm;
create view sysibm.sysdummy1 as select 'Y'::char(1) as ibmreqd;

create schema qsys2;
create function qsys2.job_name() returns varchar language sql as $$ select pg_backend_pid() || '/QUSER/QZDASOINIT' $$;
create view qsys2.syscolumns as
select upper(column_name)::varchar as column_name, upper(table_schema)::varchar as table_schema,
  upper(table_name)::varchar as table_name, ordinal_position, left(is_nullable, 1)::varchar as is_nullable,
  (case data_type when 'character' then 'CHAR' when 'numeric' then 'DECIMAL' when 'bytea' then 'VARCHAR'
    when 'timestamp without time zone' then 'TIMESTMP' else upper(data_type) end)::varchar as data_type,
  (case data_type when 'bytea' then 16000 else coalesce(character_maximum_length, numeric_precision, 0) end)::int as length,
  numeric_scale::int as numeric_scale,
  (case data_type when 'character' then 37 when 'bytea' then 65535 end)::int as ccsid
from information_schema.columns;
