-- The parts of Db2's catalog that our statements read, created in the PostgreSQL behind the stand-in library: for tests only.
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

-- The code page of a Db2 LUW database; a test may say 1208, which is UTF-8.
create function database_code_page() returns int language sql as $$ select 819 $$;
create schema syscat;
create view syscat.columns as
select 'SYSIBM'::varchar as tabschema, 'SYSDUMMY1'::varchar as tabname, 'IBMREQD'::varchar as colname, database_code_page() as codepage;

-- The bytes that a text is on the host: in the code page of the cast on Db2 for i, in the database's on Db2 LUW (varchar).
create function hex(varchar) returns varchar language sql as $$
  select upper(encode(convert_to($1, case database_code_page() when 1208 then 'UTF8' else 'LATIN1' end), 'hex')) $$;
-- A page has the character of each of its bytes, by IBM's tables.
create function hex(given varchar, page varchar) returns varchar language sql as $$
  with here as (select convert_to(given, 'LATIN1') as bytes), there as (select decode(page, 'hex') as bytes)
  select upper(string_agg(lpad(to_hex(position(substr(here.bytes, at, 1) in there.bytes) - 1), 2, '0'), '' order by at))
  from here, there, generate_series(1, length(here.bytes)) as at $$;
create domain ccsid37 as varchar;
create function hex(ccsid37) returns varchar language sql as $$
  select hex($1::varchar, '000102039c09867f978d8e0b0c0d0e0f101112139d8508871819928f1c1d1e1f80818283840a171b88898a8b8c050607'
    || '909116939495960498999a9b14159e1a20a0e2e4e0e1e3e5e7f1a22e3c282b7c26e9eaebe8edeeefecdf21242a293bac'
    || '2d2fc2c4c0c1c3c5c7d1a62c255f3e3ff8c9cacbc8cdcecfcc603a2340273d22d8616263646566676869abbbf0fdfeb1'
    || 'b06a6b6c6d6e6f707172aabae6b8c6a4b57e737475767778797aa1bfd0dddeae5ea3a5b7a9a7b6bcbdbe5b5dafa8b4d7'
    || '7b414243444546474849adf4f6f2f3f57d4a4b4c4d4e4f505152b9fbfcf9faff5cf7535455565758595ab2d4d6d2d3d5'
    || '30313233343536373839b3dbdcd9da9f') $$;
create domain ccsid297 as varchar;
create function hex(ccsid297) returns varchar language sql as $$
  select hex($1::varchar, '000102039c09867f978d8e0b0c0d0e0f101112139d8508871819928f1c1d1e1f80818283840a171b88898a8b8c050607'
    || '909116939495960498999a9b14159e1a20a0e2e440e1e3e55cf1b02e3c282b21267beaeb7dedeeefecdfa7242a293b5e'
    || '2d2fc2c4c0c1c3c5c7d1f92c255f3e3ff8c9cacbc8cdcecfccb53aa3e0273d22d8616263646566676869abbbf0fdfeb1'
    || '5b6a6b6c6d6e6f707172aabae6b8c6a460a8737475767778797aa1bfd0dddeaea223a5b7a95db6bcbdbeac7caf7eb4d7'
    || 'e9414243444546474849adf4f6f2f3f5e84a4b4c4d4e4f505152b9fbfca6faffe7f7535455565758595ab2d4d6d2d3d5'
    || '30313233343536373839b3dbdcd9da9f') $$;
