import { statement } from '../db/statement.ts';

const columns = 'content, received::int8 as received, asset_id, owner, length, name, sha256, expires_at';

/**
 * Begins a resumable upload, or continues the open one of the same owner and asset.
 * $1 content, $2 asset, $3 owner, $4 length, $5 name, $6 SHA-256 or null, $7 when it expires.
 */
export const beginIntake = statement(
  'asset_begin_intake',
  `insert into asset_intake (content, received, asset_id, owner, length, name, sha256, expires_at)
   values ($1, 0, $2, $3, $4, $5, $6, $7)
   on conflict (asset_id, owner) where asset_id is not null do update set expires_at = excluded.expires_at
   returning ${columns}`,
);

/** $1 asset, $2 owner. */
export const findIntake = statement(
  'asset_find_intake',
  `select ${columns} from asset_intake where asset_id = $1 and owner = $2`,
);

/** Complete uploads of a process that was killed before their end. $1 expiry before this time, $2 how many at most. */
export const findCompleteIntakes = statement(
  'asset_find_whole_intakes',
  `select ${columns} from asset_intake
    where received = length and expires_at < $1 order by expires_at limit $2`,
);

/**
 * Appends bytes at the end of an upload. Returns no row where the upload has another length, because another sender was
 * faster. It runs in `withoutFlush`: after a crash the sender repeats it, and the commit that creates the asset flushes all
 * of it.
 * $1 content, $2 where they begin, $3 bytes, $4 when it expires.
 */
export const appendToIntake = statement(
  'asset_append_to_intake',
  `with moved as (
     update asset_intake set received = received + length($3::bytea), expires_at = $4
      where content = $1 and received = $2
     returning content
   ), appended as (
     insert into asset_chunk (content, at, data) select content, $2, $3 from moved
   )
   select content from moved`,
);

/** Counts the chunks of a content. $1 content. */
export const countChunks = statement(
  'asset_count_chunks',
  'select count(*)::int as chunks from asset_chunk where content = $1',
);

/** Copies the bytes into fewer chunks, as another content. $1 content, $2 the other one, $3 least bytes a chunk. */
export const repackChunks = statement(
  'asset_repack_chunks',
  `with small as (delete from asset_chunk where content = $1 returning at, data), packed as (
     insert into asset_chunk (content, at, data)
     select $2::uuid, min(at), string_agg(data, ''::bytea order by at) from small group by at / $3::int8
   )
   select count(*) from small`,
);

/** $1 content. */
export const deleteChunks = statement('asset_delete_chunks', 'delete from asset_chunk where content = $1');
