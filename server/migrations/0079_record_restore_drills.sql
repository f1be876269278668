-- Restores of backups on trial: which backup, and what was found in it.
create table restore_drill (
  drill_id uuid primary key,
  at timestamptz not null,
  -- The name of the backup, and the start of it; null where its manifest cannot be read.
  backup text not null,
  backup_at timestamptz,
  ok boolean not null,
  seconds integer not null,
  -- JSON: an array of {check, ok, says}.
  findings text not null
);
create index restore_drill_by_time on restore_drill (at);
