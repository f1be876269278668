-- When nothing is written to the host: the operators' switch (no end), a window of the maintenance calendar, and the
-- host's own switch as a worker last saw it (nil id). An entry whose end is past is history.
create table replication_hold (
  hold_id uuid primary key default gen_random_uuid(),
  source text not null check (source in ('operator', 'host')),
  starts_at timestamptz not null,
  ends_at timestamptz,
  reason text not null,
  held_by text not null
);
