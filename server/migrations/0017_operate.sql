-- What a worker says of itself with each beat, as JSON: its breaker towards the host, and which files are not set up.
alter table worker_heartbeat add column state text;

-- The link to the item before it in its queue, as its device sealed it: the chain can be followed again at any time. Null
-- for what came by no queue, for a queue's first item, and for what came before this column.
alter table ledger add column prev_hash bytea;

-- All that is needed to apply it later as it was meant: how it came, when it was recorded and by whose rules it counts;
-- and the route version that contains it once it was released.
alter table quarantine
  add column source text check (source in ('sync', 'rest', 'office', 'timer')),
  add column paths text check (paths in ('v20', 'current')),
  add column captured_at timestamptz,
  add column edit_time timestamptz,
  add column prev_hash bytea,
  add column version bigint;

-- A person has seen it.
alter table incident
  add column acknowledged_at timestamptz,
  add column acknowledged_by text,
  add column note text;
create index incident_by_time on incident (at, incident_id);

-- Who ended a queue, and why.
alter table client add column revoked_by text, add column revoke_reason text;
