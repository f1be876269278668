-- The one-time password that was last sent to a driver. It exists in no table in plain: it is made when it is sent.
-- `mark` is the first byte of its SHA-256 and tells which of two hashes a password is held against.
create table one_time_password (
  employee text primary key,
  hash text not null,
  mark smallint not null,
  tries smallint not null default 0,
  expires_at timestamptz not null,
  used_at timestamptz
);

-- Text messages that were handed to a gateway: the budgets are counted here. Neither text nor number.
create table sms_sent (
  id uuid primary key,
  kind text not null,
  employee text not null,
  at timestamptz not null
);
create index sms_sent_by_time on sms_sent (at);
create index sms_sent_by_employee on sms_sent (employee, at);

-- Counters that all nodes share. Unlogged: they cost no log, and a crash of PostgreSQL may forget them.
create unlogged table event_window (
  key text primary key,
  count integer not null,
  ends_at timestamptz not null
);

-- Failed sign-ins in a row, from an address; a device that has signed in before has a row of its own.
create unlogged table sign_in_failure (
  employee text not null,
  address text not null,
  device text not null,
  failures integer not null,
  last_at timestamptz not null,
  primary key (employee, address, device)
);
create index sign_in_failure_by_time on sign_in_failure (last_at);
