-- What retention has deleted, until the log has a leaf about it (docs/evidence.md): ids only.
create table erased_fact (
  facility text not null,
  erased_id uuid not null,
  at timestamptz not null,
  -- As in the leaves: `mutation`, `file`, …
  kind text not null,
  -- The setting that asked for it.
  rule text not null,
  sources text[] not null,
  primary key (facility, erased_id)
);

-- Up to which time the host's confirmations of a route are in the log.
alter table log_progress add column confirmed_through timestamptz;
