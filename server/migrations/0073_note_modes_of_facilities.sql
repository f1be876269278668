-- LEGACY_MODE: whether the service writes a facility's rows to the host (live), only compares them (shadow), or leaves
-- the facility alone (off). The row without a facility is the default. A worker writes it at its start; all nodes read it.
create table facility_mode (
  facility text primary key,
  mode text not null check (mode in ('off', 'shadow', 'live')),
  since timestamptz not null default now()
);
insert into facility_mode (facility, mode) values ('', 'live');

-- Versions up to this were accepted in shadow: they are not on the host, and they will not be written there.
alter table route add column shadow_through bigint not null default 0;
alter table route alter column behind set expression as (version > greatest(hosted_through, shadow_through));

-- Whether the stops that name a file are live. A file of a shadow is finished (hosted_version = version) and not on the host.
alter table asset add column host_mode text check (host_mode in ('shadow', 'live'));
-- The same for a report of a driver of a shadow.
alter table load_report add column shadowed boolean not null default false;
create index route_shadow on route (week_end desc, facility, id) where shadow_through > 0;
