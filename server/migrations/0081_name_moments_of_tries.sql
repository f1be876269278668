-- A distributed PostgreSQL takes no now(), no parameter and no sum of a time and an interval within "on conflict". So the
-- row that is inserted names these moments, and the sum is a function that PostgreSQL knows as immutable: an
-- interval of minutes is the same in every zone.
alter table route_lease add column taken_at timestamptz not null default now();
alter table parked add column tried_at timestamptz not null default now();
alter table parked add column try_began_at timestamptz not null default now();
alter table parked_row add column tried_at timestamptz not null default now();
alter table parked_row add column try_began_at timestamptz not null default now();

create function later(moment timestamptz, by interval) returns timestamptz
  language sql immutable strict parallel safe
  return moment + by;
