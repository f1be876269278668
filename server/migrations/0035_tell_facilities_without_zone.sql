-- `zone` is blank where the host names none that exists; `host_zone` is what the host names. `in_utc_since`: an incident says
-- that the times of this facility are in UTC. A facility that FACMSTP lacks has a row, too, from then on.
alter table facility
  add column host_zone text not null default '',
  add column in_utc_since timestamptz;
