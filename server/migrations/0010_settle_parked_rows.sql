-- What is parked can be settled by a person: tried at once, or skipped with a reason. `parked_id` names an entry to people.
-- A skipped entry stays, for the host never got it; the next change of the same row is tried like any other.
alter table parked
  add column parked_id uuid not null default gen_random_uuid(),
  add column next_try_at timestamptz not null default now() + interval '1 minute',
  add column skipped_at timestamptz,
  add column skipped_by text,
  add column skip_reason text;
create index parked_by_id on parked (parked_id);

alter table parked_row
  add column parked_id uuid not null default gen_random_uuid(),
  add column next_try_at timestamptz not null default now() + interval '1 minute',
  add column skipped_at timestamptz,
  add column skipped_by text,
  add column skip_reason text;
create index parked_row_by_id on parked_row (parked_id);
