-- Two roles instead of one: servers that are broken into can neither drop nor change a table. Run it once, as a
-- superuser, in the database that Tailgate will use and before its first start; then give both roles a password:
--   alter role tailgate_owner password '…';  alter role tailgate_app password '…';
-- Tables are made by the owner: DATABASE_URL=postgres://tailgate_owner:…@… npm run migrate
-- Servers and workers run as the other: DATABASE_URL=postgres://tailgate_app:…@… npm start
--
-- One of several cells of a database (docs/scaling.md) has a schema and roles of its own. Name it first, by
--   set tailgate.cell = 'chicago';
-- The roles are tailgate_owner_chicago and tailgate_app_chicago then, and CELL=chicago is set for their programs.

do $$
declare
  cell text := coalesce(nullif(current_setting('tailgate.cell', true), ''), 'public');
  addition text := case cell when 'public' then '' else '_' || cell end;
  owner text := 'tailgate_owner' || addition;
  app text := 'tailgate_app' || addition;
begin
  execute format('create role %I login', owner);
  execute format('create role %I login', app);

  -- Other roles cannot connect.
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to %I, %I', current_database(), owner, app);
  revoke all on schema public from public;
  if cell <> 'public' then execute format('create schema %I', cell); end if;
  execute format('grant usage, create on schema %I to %I', cell, owner);
  execute format('grant usage on schema %I to %I', cell, app);

  -- A role leads to its cell. Options of the address would not: poolers drop them.
  execute format('alter role %I set search_path = %I', owner, cell);
  execute format('alter role %I set search_path = %I', app, cell);

  -- The servers may read and write rows of the owner's tables, and nothing else.
  execute format('alter default privileges for role %I in schema %I grant select, insert, update, delete on tables to %I',
                 owner, cell, app);

  -- The queue keeps its own tables: it makes a partition a day. Jobs are wake-ups, the truth is not in there.
  execute format('create schema %I authorization %I', 'pgboss' || addition, app);
end $$;
