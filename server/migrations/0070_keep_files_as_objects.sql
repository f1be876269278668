-- A file's bytes are rows of asset_chunk, or an object of an S3-compatible store; then `object` is its key.
alter table asset add column object text;
create unique index asset_by_object on asset (object) where object is not null;
create index asset_in_rows on asset (received_at)
  where object is null and state = 'R' and purged_at is null and size > 0;

-- Objects without a row, to be deleted later: a second database that shares the store by mistake is noticed first.
create table asset_gone_object (
  object text primary key,
  gone_at timestamptz not null default now()
);
create index asset_gone_object_by_time on asset_gone_object (gone_at);

-- The parts of the store that this database may delete from, in this epoch. The mark is also an object of the store: another one
-- there means that another database deletes, too. A claim lets one process work at a time.
create table asset_store (
  prefix text primary key,
  epoch integer not null,
  owned_since timestamptz not null default now(),
  mark text,
  next_mark text,
  listed_to text not null default '',
  claimed_until timestamptz,
  disputed_at timestamptz
);
