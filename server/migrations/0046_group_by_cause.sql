-- What needs a person is grouped by cause. Rows that the host refuses for one reason have one cause: file, SQLSTATE, and
-- the message without its values.
alter table parked add column cause text not null generated always as (
  case when stop_id < 0 then 'RTHDRP' else 'RTSTUP' end || ':' || sqlstate || ':' ||
  left(md5(regexp_replace(reason, '''[^'']*''|"[^"]*"|[0-9]+', '#', 'g')), 8)) stored;
alter table parked_row add column cause text not null generated always as (
  file || ':' || sqlstate || ':' ||
  left(md5(regexp_replace(reason, '''[^'']*''|"[^"]*"|[0-9]+', '#', 'g')), 8)) stored;
create index parked_by_cause on parked (cause);
create index parked_row_by_cause on parked_row (cause);

create index incident_open on incident (at) where acknowledged_at is null;

-- Flags of one code that a person has read, up to a moment. A flag after it needs a person again.
create table flag_review (
  code text primary key,
  reviewed_through timestamptz not null,
  by text not null,
  at timestamptz not null default now()
);
