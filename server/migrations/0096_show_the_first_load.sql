-- Routes of the host that are new to the mirror, while a start loads them: one row, the latest load.
create table first_load (
  only_row boolean primary key default true check (only_row),
  started_at timestamptz not null,
  updated_at timestamptz not null,
  -- Null while routes are left.
  ended_at timestamptz,
  routes_left integer not null,
  -- JSON: the headers of the host at the start of the load, by their reasons.
  counts text not null
);
