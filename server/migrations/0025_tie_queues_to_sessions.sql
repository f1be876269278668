-- The session by which a queue said hello last (SHA-256 of its token): its end is the queue's sign-out. With it, the run of
-- the device's monotonic clock that was read then, and what time it was here when that clock read 0. No row: no hello since.
-- A table of its own: a hello writes it while a batch holds the row of the queue.
create table queue_session (
  client_id uuid primary key,
  session_hash bytea,
  boot_id text,
  boot_at timestamptz
);

-- Its driver was unregistered: `revoked_at` is set as well, and what it brings goes to quarantine. After a new sign-up on
-- the same phone `revoked_at` is null again, and only what was recorded before `reopened_at` goes there.
alter table client
  add column held_at timestamptz,
  add column reopened_at timestamptz;
