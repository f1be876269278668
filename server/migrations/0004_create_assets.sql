-- Files: photos, signatures, PDFs. An asset is what others name by its id; its bytes are the chunks of its content.
-- Assets belong to no route (a photo may be up before anybody says which stop it is of), so no facility leads their keys.

-- One row a file. L: a stop names it, its bytes are still to come; R: the bytes are here; M: they never came.
-- Both paths lead here: a REST upload makes the id, a device makes it before the bytes come.
create table asset (
  id text primary key,
  -- The id of the first file of the upload, and the place in it, from 1.
  batch text not null,
  seq smallint not null default 1,
  state text not null check (state in ('L', 'R', 'M')),
  content uuid,
  name text not null default '',
  mime text not null default '',
  size bigint not null default 0,
  sha256 bytea,
  expected_at timestamptz,
  received_at timestamptz,
  -- What the host learns of it; see docs/architecture.md.
  version bigint not null default 1,
  hosted_version bigint not null default 0,
  check ((state = 'R') = (content is not null and sha256 is not null and received_at is not null))
);
create unique index asset_by_batch on asset (batch, seq);
create index asset_behind on asset (id) where hosted_version < version;
create index asset_expected on asset (expected_at) where state = 'L';

-- The bytes, in pieces of any length up to 256 KiB that follow each other without a gap; `at` is where a piece begins.
-- Photos are compressed already: stored as they are, out of line, so that a part of one can be read.
create table asset_chunk (
  content uuid not null,
  at bigint not null,
  data bytea not null,
  primary key (content, at)
);
alter table asset_chunk alter column data set storage external;

-- Contents that are coming: their first chunks are saved and no asset has them yet. Nobody sees them. What expires is
-- swept with its chunks, so that a broken or killed upload leaves nothing. A resumable upload goes on at `received`; what
-- it said of itself at its beginning (all the nullable columns) stands here until its asset does.
create table asset_intake (
  content uuid primary key,
  received bigint not null,
  expires_at timestamptz not null,
  asset_id text,
  length bigint,
  name text,
  mime text,
  client_id uuid
);
create index asset_intake_by_expiry on asset_intake (expires_at);

-- Uploads that came with an Idempotency-Key: the digest of their bytes, and the upload that they made.
create table asset_upload_key (
  caller text not null,
  key text not null,
  digest bytea not null,
  batch text not null,
  received_at timestamptz not null,
  primary key (caller, key)
);
create index asset_upload_key_by_time on asset_upload_key (received_at);

-- What a caller has sent in an hour, refused uploads included.
create table asset_quota (
  caller text not null,
  hour timestamptz not null,
  bytes bigint not null,
  primary key (caller, hour)
) with (fillfactor = 50);
