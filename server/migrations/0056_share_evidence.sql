-- Links that hand an evidence pack to somebody outside, once. The secret is in the link alone.
create table evidence_link (
  link_id uuid primary key,
  secret_hash bytea not null unique,
  facility text not null,
  route_id text,
  week_end text,
  stop_id smallint,
  customer text,
  from_day text,
  until_day text,
  -- The left-out parts, separated by commas.
  without text not null,
  note text not null,
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz not null,
  taken_at timestamptz,
  revoked_at timestamptz,
  revoked_by text
);
create index evidence_link_by_time on evidence_link (created_at);
