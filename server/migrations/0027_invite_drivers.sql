-- Codes with which drivers sign up where SIGNUP=invited: for one employee, or for all of a facility. Only the SHA-256 of a
-- code is stored; whoever makes one is shown it once.
create table invitation (
  invitation_id uuid primary key,
  code_hash bytea not null unique,
  employee text,
  facility text,
  uses integer not null check (uses > 0),
  uses_left integer not null check (uses_left >= 0),
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz not null,
  withdrawn_at timestamptz,
  withdrawn_by text,
  check ((employee is null) <> (facility is null))
);
create index invitation_by_time on invitation (created_at, invitation_id);
