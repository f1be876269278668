-- The operational mirror. Every table whose rows belong to a route has the facility first in its key, so that the
-- schema can be distributed by facility as it is (docs/architecture.md, I12). Documents are text: SQL never looks inside.

-- Which life of this database we are in. A restore starts a new epoch (I9); cursors and host sequences carry it.
-- `cluster` (PostgreSQL's system identifier) and `timeline` tell at a start that the database has another history.
create table server_epoch (
  epoch integer primary key,
  cluster text not null,
  timeline integer not null,
  started_at timestamptz not null default now(),
  reason text not null
);

create table facility (
  id text primary key,
  name text not null,
  zone text not null
);

create table employee (
  id text primary key,
  name text not null,
  phone text not null,
  active boolean not null,
  facility text not null,
  job text not null
);

create table account (
  employee text primary key,
  password_hash text not null,
  must_change_password boolean not null default false,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
);

-- Only the SHA-256 of a token is stored.
create table session (
  token_hash bytea primary key,
  employee text not null,
  device text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text
);
create index session_by_employee on session (employee);

create table code (
  type text not null,
  code text not null,
  description text not null,
  category text not null,
  driver_visible boolean not null,
  stop_type text not null,
  requires_photo boolean not null,
  requires_comment boolean not null,
  sort integer not null,
  active boolean not null,
  primary key (type, code)
);

-- Versions of scopes that are no route (the code lists).
create table scope_version (
  scope text primary key,
  version bigint not null
);

-- One row a route. `version` rises by one with each applied mutation or plan change, always under this row's lock (I3).
-- `behind` keeps the partial index still while a backlog grows, so that updates stay HOT.
create table route (
  facility text not null,
  id text not null,
  week_end text not null,
  epoch integer not null default 1,
  version bigint not null default 0,
  hosted_through bigint not null default 0,
  behind boolean not null generated always as (version > hosted_through) stored,
  header_version bigint not null default 0,
  plan_version bigint not null default 0,
  name text not null default '',
  trailer text not null default '',
  email_flag boolean not null default false,
  dispatched_on text not null default '',
  published_at timestamptz,
  withdrawn_at timestamptz,
  status text not null default 'O' check (status in ('O', 'C')),
  arrived boolean not null default false,
  closed_at timestamptz,
  closed_by text check (closed_by in ('D', 'A', 'F')),
  late integer not null default 0,
  -- Deadlines of the closing timers; a job is only their alarm clock. Any close clears both.
  autoclose_at timestamptz,
  forceclose_at timestamptz,
  changed_at timestamptz not null default now(),
  primary key (facility, id, week_end)
) with (fillfactor = 50);
create index route_behind on route (facility, id, week_end) where behind;
create index route_open on route (id) where status = 'O';
create index route_due on route (least(autoclose_at, forceclose_at)) where least(autoclose_at, forceclose_at) is not null;

-- Assignments are history: a driver taken off a route keeps a row with `removed_at`.
create table route_driver (
  facility text not null,
  route_id text not null,
  week_end text not null,
  employee text not null,
  type text not null,
  seq integer not null,
  assigned_at timestamptz not null default now(),
  removed_at timestamptz,
  primary key (facility, route_id, week_end, employee)
);
create index route_driver_by_employee on route_driver (employee);

-- What the host owns of a stop. `doc` is a StopPlan; `lines` its digest for the rules (stops/plan-lines.ts).
create table stop_plan (
  facility text not null,
  route_id text not null,
  week_end text not null,
  stop_id smallint not null,
  version bigint not null,
  doc text not null,
  lines text not null,
  removed_at timestamptz,
  primary key (facility, route_id, week_end, stop_id)
);

-- What the service owns of a stop: a StopResult, only the lines that were touched. Kept in line (no TOAST round trip).
create table stop_result (
  facility text not null,
  route_id text not null,
  week_end text not null,
  stop_id smallint not null,
  version bigint not null,
  status text not null default 'P',
  doc text not null default '{"status":"P"}',
  primary key (facility, route_id, week_end, stop_id)
) with (fillfactor = 70, toast_tuple_target = 8160);
alter table stop_result alter column doc set storage main;

-- One row a mutation: audit, dedupe record and outbox in one (I2). `body` is the RFC 8785 text that `hash` is taken of.
-- A mutation that changed nothing has the version at which it was found to change nothing.
create table ledger (
  facility text not null,
  id uuid not null,
  route_id text not null,
  week_end text not null,
  stop_id smallint not null,
  version bigint not null,
  source text not null check (source in ('sync', 'rest', 'office', 'timer')),
  client_id uuid,
  seq bigint,
  hash bytea not null,
  employee text not null,
  captured_at timestamptz,
  edit_time timestamptz not null,
  received_at timestamptz not null,
  result text not null check (result in ('applied', 'duplicate')),
  warnings text,
  body text not null,
  primary key (facility, id)
) with (toast_tuple_target = 8160);
create index ledger_by_route on ledger (facility, route_id, week_end, version);
create index ledger_flagged on ledger (facility, received_at) where warnings is not null;

-- One row a queue: one employee on one installation. `last_seq` is the watermark.
create table client (
  client_id uuid primary key,
  employee text not null,
  device text not null,
  queue_key_hash bytea not null,
  last_seq bigint not null default 0,
  last_hash bytea,
  last_edit_time timestamptz,
  version bigint not null default 0,
  sdk text not null default '',
  app text not null default '',
  pending integer not null default 0,
  oldest_pending_at timestamptz,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  revoked_at timestamptz
) with (fillfactor = 50);
create index client_by_employee on client (employee);

-- What could not be applied, kept verbatim as bytes (text could refuse what a hostile or broken client sent).
create table quarantine (
  quarantine_id uuid primary key,
  id uuid not null,
  hash bytea not null,
  client_id uuid,
  seq bigint,
  client_version bigint not null default 0,
  employee text not null,
  facility text not null default '',
  route_id text not null default '',
  week_end text not null default '',
  stop_id smallint,
  name text not null,
  code text not null,
  reason text not null,
  details text not null default '[]',
  body bytea not null,
  received_at timestamptz not null default now(),
  state text not null default 'open' check (state in ('open', 'released', 'dismissed')),
  resolved_at timestamptz,
  resolved_by text,
  note text
);
create unique index quarantine_by_mutation on quarantine (id, hash);
create index quarantine_by_client on quarantine (client_id, client_version);
create index quarantine_open on quarantine (received_at) where state = 'open';

-- Delivery mails that a mail server has taken: one for each mutation that brought a stop to D.
create table mail_sent (
  facility text not null,
  mutation_id uuid not null,
  sent_at timestamptz not null,
  primary key (facility, mutation_id)
);

-- What a person has to know of: a chain that does not fit, items a phone declares gone, a restore.
create table incident (
  incident_id uuid primary key,
  at timestamptz not null default now(),
  kind text not null,
  client_id uuid,
  employee text,
  details text not null default '{}'
);

-- Replication out: who works on a route now, what the host was last confirmed to hold, what is parked.
create table route_lease (
  facility text not null,
  route_id text not null,
  week_end text not null,
  owner uuid not null,
  fence bigint not null,
  expires_at timestamptz not null,
  primary key (facility, route_id, week_end)
);

-- stop_id -1 stands for the route's own row. `rows` is the service-owned columns by file, as last confirmed on the host.
create table host_shadow (
  facility text not null,
  route_id text not null,
  week_end text not null,
  stop_id smallint not null,
  sequence bigint not null,
  rows text not null,
  confirmed_at timestamptz not null default now(),
  primary key (facility, route_id, week_end, stop_id)
) with (fillfactor = 70, toast_tuple_target = 8160);
alter table host_shadow alter column rows set storage main;

create table parked (
  facility text not null,
  route_id text not null,
  week_end text not null,
  stop_id smallint not null,
  version bigint not null,
  sqlstate text not null,
  reason text not null,
  payload text not null,
  attempts integer not null default 1,
  parked_at timestamptz not null default now(),
  primary key (facility, route_id, week_end, stop_id)
);
