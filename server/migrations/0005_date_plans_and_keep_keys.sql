-- Since when a stop is this customer's, and since when these lines are planned; null: since it was first seen. What a
-- driver recorded before that was recorded under another plan.
alter table stop_plan add column customer_since timestamptz, add column lines_since timestamptz;

-- The digest is plain text (stops/plan-lines.ts). The import wrote it as a JSON string, in which no line was ever found.
update stop_plan set lines = lines::jsonb #>> '{}' where lines like '"%';

-- What was asked for under an `Idempotency-Key`: the fingerprint of the request as it was sent, and the route that it
-- was found to mean, so that a repetition means the same one. Kept 30 days (contract §4).
create table request_key (
  owner text not null,
  key text not null,
  fingerprint bytea not null,
  facility text not null default '',
  week_end text not null default '',
  claimed_at timestamptz not null,
  primary key (owner, key)
);
create index request_key_by_age on request_key (claimed_at);
