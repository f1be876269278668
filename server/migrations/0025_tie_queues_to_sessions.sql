-- The session by which a queue said hello last (SHA-256 of its token): its end is the queue's sign-out. With it, the run of
-- the device's monotonic clock that was read then, and what time it was here when that clock read 0. Null: no hello since.
alter table client
  add column session_hash bytea,
  add column boot_id text,
  add column boot_at timestamptz;

-- Its driver was unregistered: `revoked_at` is set as well, and what it brings goes to quarantine. After a new sign-up on
-- the same phone `revoked_at` is null again, and only what was recorded before `reopened_at` goes there.
alter table client
  add column held_at timestamptz,
  add column reopened_at timestamptz;
