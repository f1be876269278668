-- Named operators of the office, and their sessions (docs/decisions/0114). The id reaches the host as the author of an
-- edit. Only hashes of passwords and tokens are stored. A revoked operator keeps the row, because acts name it.
create table operator (
  id text primary key check (id ~ '^[A-Z0-9]{1,10}$'),
  name text not null,
  role text not null check (role in ('look', 'repair', 'admin')),
  password_hash text,
  -- The password is a one-time password: it opens a session that can only set an own one, until it expires.
  must_change_password boolean not null default false,
  password_expires_at timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  changed_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by text
);

create table operator_session (
  token_hash bytea primary key,
  operator text not null references operator,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index operator_session_by_operator on operator_session (operator) where ended_at is null;
create index operator_session_by_expiry on operator_session (expires_at);
