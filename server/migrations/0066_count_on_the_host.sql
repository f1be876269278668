-- What the host has of a route, counted by its own rows at the route's close (C) and at the day's end (D). `counts` is
-- JSON by kind. A row without a route is the sum of its facility at a day's end. Rows older than 400 days are deleted.
create table reconciliation (
  facility text not null,
  route_id text not null,
  week_end text not null,
  occasion text not null check (occasion in ('C', 'D')),
  -- YYYYMMDD on the clock of the facility.
  day text not null,
  -- The route's version that was counted.
  version bigint not null,
  counted_at timestamptz not null,
  differs boolean not null,
  counts text not null,
  -- Stops with a difference, separated by commas.
  stops text not null,
  primary key (facility, route_id, week_end, occasion, day)
);
create index reconciliation_by_time on reconciliation (counted_at);
create index reconciliation_differing on reconciliation (counted_at) where differs;
