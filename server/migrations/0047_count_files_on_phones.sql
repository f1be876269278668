-- Files on phones at the latest report: null where the app does not report them.
alter table client
  add column pending_files integer,
  add column pending_bytes bigint,
  add column oldest_file_at timestamptz;
