-- Load condition reports (interface.md 4.6). Every revision is kept; `version` is the number of the latest one, which is
-- what lists show and the host holds. `hosted_version` is the one that the host was last confirmed to hold.
create table load_report (
  report_id text collate "C" primary key,
  version bigint not null,
  hosted_version bigint not null default 0
);
create index load_report_behind on load_report (report_id) where hosted_version < version;

-- `doc` is the report in the shape in which it was sent; the columns are what lists are filtered by.
create table load_report_revision (
  report_id text collate "C" not null,
  revision bigint not null,
  load_id text not null,
  stop_id text not null,
  driver_id text not null,
  captured_at timestamptz not null,
  received_at timestamptz not null,
  doc text not null,
  primary key (report_id, revision)
);
create index load_report_revision_newest on load_report_revision (captured_at, report_id, revision);
create index load_report_revision_by_load on load_report_revision (load_id, captured_at);
create index load_report_revision_by_stop on load_report_revision (stop_id, captured_at);
create index load_report_revision_by_driver on load_report_revision (driver_id, captured_at);

create table load_report_section (
  report_id text collate "C" not null,
  revision bigint not null,
  seq smallint not null,
  key text not null,
  rating smallint not null,
  primary key (report_id, revision, seq)
);

-- A process that replicates says here every few seconds that it is alive, so that nodes without a worker can tell.
create table worker_heartbeat (
  worker uuid primary key,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
