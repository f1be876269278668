-- Rows that go to the host on their own (users, sign-ins, assets, load reports) and that the host refuses. `file` is the
-- host's file, `key` the row's key there, `payload` what was to be written.
create table parked_row (
  file text not null,
  key text not null,
  version bigint not null,
  sqlstate text not null,
  reason text not null,
  payload text not null,
  attempts integer not null default 1,
  parked_at timestamptz not null default now(),
  primary key (file, key)
);

-- The service's columns of RTDRVP as last confirmed on the host: other programs write to the same row.
alter table driver_sign_in add column shadow text;

-- Which stop names a file whose bytes are still to come: a route that closes counts them, and where they never come a
-- person is told of which stop they are.
create table awaited_asset (
  facility text not null,
  route_id text not null,
  week_end text not null,
  stop_id smallint not null,
  asset_id text not null,
  primary key (facility, route_id, week_end, stop_id, asset_id)
);
create index awaited_asset_by_asset on awaited_asset (asset_id);

-- The lines of the doorbell by which the route was last loaded again, split by blanks: found once more after a crash, they
-- are known.
alter table route add column reloaded_by text not null default '';
