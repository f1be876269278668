-- Two roles instead of one: servers that are broken into can neither drop nor change a table. Run it once, as a
-- superuser, in the database that Tailgate will use and before its first start; then give both roles a password:
--   alter role tailgate_owner password '…';  alter role tailgate_app password '…';
-- Tables are made by the owner: DATABASE_URL=postgres://tailgate_owner:…@… npm run migrate
-- Servers and workers run as the other: DATABASE_URL=postgres://tailgate_app:…@… npm start

create role tailgate_owner login;
create role tailgate_app login connection limit 60;

-- Other roles cannot connect.
do $$ begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to tailgate_owner, tailgate_app', current_database());
end $$;
revoke all on schema public from public;
grant usage, create on schema public to tailgate_owner;
grant usage on schema public to tailgate_app;

-- The servers may read and write rows of the owner's tables, and nothing else.
alter default privileges for role tailgate_owner in schema public
  grant select, insert, update, delete on tables to tailgate_app;

-- The queue keeps its own tables: it makes a partition a day. Jobs are wake-ups, the truth is not in there.
create schema pgboss authorization tailgate_app;
