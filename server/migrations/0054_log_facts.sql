-- Transparency logs (docs/evidence.md): one for each facility, and one with a blank facility for facts without one. Rows
-- have ids and hashes only. Their keys begin with the facility (I12).

-- A generation of a log. A restored database begins the next one, with an origin of its own.
create table log (
  facility text not null,
  generation integer not null,
  -- The name in each checkpoint. It stays as it was at the first leaf.
  origin text not null,
  -- The epoch of the server at the first leaf (I9). Another epoch ends the generation.
  epoch integer not null,
  size bigint not null default 0,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (facility, generation)
) with (fillfactor = 50);

-- The public keys (Ed25519, 32 bytes) of a generation, each from the checkpoint of this size on.
create table log_key (
  facility text not null,
  generation integer not null,
  from_size bigint not null,
  key bytea not null,
  primary key (facility, generation, from_size)
);

-- A fact as it is hashed: `entry` is JSON by RFC 8785. A fact has one leaf in all generations of its log.
create table log_leaf (
  facility text not null,
  generation integer not null,
  leaf_index bigint not null,
  kind text not null,
  source text not null,
  entry text not null,
  primary key (facility, generation, leaf_index)
);
create unique index log_leaf_by_source on log_leaf (facility, kind, source);

-- The salt of a leaf's commitments. Without it the commitments reveal nothing, and the log stays whole.
create table log_salt (
  facility text not null,
  generation integer not null,
  leaf_index bigint not null,
  salt bytea not null,
  primary key (facility, generation, leaf_index)
);

-- Tiles of 256 hashes (c2sp.org/tlog-tiles). The last one of a level grows; its beginning is each earlier partial tile.
create table log_tile (
  facility text not null,
  generation integer not null,
  level smallint not null,
  tile_index bigint not null,
  hashes bytea not null,
  primary key (facility, generation, level, tile_index)
);
-- Hashes do not compress.
alter table log_tile alter column hashes set storage external;

-- Signed checkpoints. The newest one is served; older ones stay for seven days, and the last of each generation for ever.
create table log_checkpoint (
  facility text not null,
  generation integer not null,
  size bigint not null,
  signed_at timestamptz not null,
  note text not null,
  primary key (facility, generation, size)
);

-- Up to which version the changes of a route are in the log. No row of a route is locked for it.
create table log_progress (
  facility text not null,
  route_id text not null,
  week_end text not null,
  logged_through bigint not null,
  primary key (facility, route_id, week_end)
) with (fillfactor = 50);

-- Load condition reports have no route: the log finds new ones by their receipt.
create index ledger_reports on ledger (received_at) where route_id = '';

-- Servers with a role of their own cannot change a leaf (server/deploy/roles.sql).
do $$ begin
  if exists (select from pg_roles where rolname = 'tailgate_app') then
    revoke update, delete on log_leaf, log_key from tailgate_app;
    revoke delete on log, log_tile from tailgate_app;
  end if;
end $$;
