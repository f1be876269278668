-- How far the host was behind, for the chart of the office: one row for the whole service and each five minutes, with the
-- highest values that a worker saw. Each sample deletes rows older than 25 hours.
create table replication_sample (
  at timestamptz primary key,
  lag_seconds integer not null,
  routes_behind integer not null,
  parked integer not null,
  host_away boolean not null,
  on_hold boolean not null
);
