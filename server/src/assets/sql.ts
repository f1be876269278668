import type { Statement } from '../db/types.ts';

/** Its bytes have come, and their time is not over. */
const isReady = `(state = 'R' and purged_at is null)`;
const readyColumns = 'id, batch, seq, name, mime, size, sha256, content';

/** $1 id. */
export const findAsset: Statement = {
  name: 'asset_find',
  text: `select ${readyColumns} from asset where id = $1 and ${isReady}`,
};

/** All files of an upload by its primary id; by any other id that file alone. $1 id. */
export const findUpload: Statement = {
  name: 'asset_find_upload',
  text: `select ${readyColumns} from asset where (batch = $1 or id = $1) and ${isReady} order by seq`,
};

/** The files of several ids, each as `findUpload` answers it. $1 ids. */
export const findUploads: Statement = {
  name: 'asset_find_uploads',
  text: `select ${readyColumns} from asset
          where (batch = any ($1::text[]) or id = any ($1::text[])) and ${isReady} order by batch, seq`,
};

/**
 * The chunk in which a byte lies. As base64: the driver reads every column as text, and this is the shorter one.
 * $1 content, $2 the byte's place.
 */
export const findChunk: Statement = {
  name: 'asset_find_chunk',
  text: `select at, encode(data, 'base64') as data from asset_chunk
          where content = $1 and at <= $2 order by at desc limit 1`,
};

/**
 * A chunk of a content that goes on coming. Nobody waits for the disk here: the commit that makes an asset of them
 * flushes all that was written before it. $1 content, $2 the chunk's place, $3 its bytes, $4 when it expires.
 */
export const saveIncoming: Statement = {
  name: 'asset_save_incoming',
  text: `with coming as (
           insert into asset_intake as i (content, received, expires_at) values ($1, $2::int8 + length($3::bytea), $4)
           on conflict (content) do update
              set received = greatest(i.received, excluded.received), expires_at = excluded.expires_at
         )
         insert into asset_chunk (content, at, data)
         select $1, $2, $3 from set_config('synchronous_commit', 'off', true)`,
};

/** A statement a chunk: bytes in an array are copied once more on each side. $1 content, $2 place, $3 bytes. */
export const insertChunk: Statement = {
  name: 'asset_insert_chunk',
  text: 'insert into asset_chunk (content, at, data) values ($1, $2, $3)',
};

/** Contents that have come whole are no longer swept; as many rows come back as are still here. $1 contents. */
export const endIntake: Statement = {
  name: 'asset_end_intake',
  text: 'delete from asset_intake where content = any ($1::uuid[])',
};

/** $1 contents of which nothing shall be left. */
export const dropIncoming: Statement = {
  name: 'asset_drop_incoming',
  text: `with gone as (delete from asset_intake where content = any ($1::uuid[]) returning content)
         delete from asset_chunk c using gone where c.content = gone.content`,
};

/** The same of all that expired, if its bytes are not all here; those that somebody is just finishing are left alone. $1 now, $2 how many at most. */
export const sweepIncoming: Statement = {
  name: 'asset_sweep_incoming',
  text: `with gone as (
           delete from asset_intake where content in (
             select content from asset_intake where expires_at < $1 and received is distinct from length
              order by expires_at limit $2 for update skip locked
           )
           returning content
         ), chunks as (
           delete from asset_chunk c using gone where c.content = gone.content
         )
         select content from gone`,
};

/**
 * Files whose bytes are here, all of one upload. One that a stop has named already is there: it gets its bytes.
 * $1 ids, $2 batch, $3 places, $4 contents, $5 names, $6 MIME types, $7 sizes, $8 SHA-256, $9 now.
 */
export const insertAssets: Statement = {
  name: 'asset_insert',
  text: `insert into asset (id, batch, seq, state, content, name, mime, size, sha256, received_at)
         select k.id, $2, k.seq, 'R', k.content, k.name, k.mime, k.size, k.sha256, $9
           from unnest($1::text[], $3::smallint[], $4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::bytea[])
             as k (id, seq, content, name, mime, size, sha256)
         on conflict (id) do update
            set batch = excluded.batch, seq = excluded.seq, state = 'R', content = excluded.content,
                name = excluded.name, mime = excluded.mime, size = excluded.size, sha256 = excluded.sha256,
                received_at = excluded.received_at, version = asset.version + 1
          where asset.state <> 'R'`,
};

/** Files that a stop names and whose bytes are still to come; those that are known stay as they are. $1 ids, $2 now. */
export const expectAssets: Statement = {
  name: 'asset_expect',
  text: `insert into asset (id, batch, state, expected_at)
         select distinct id, id, 'L', $2::timestamptz from unnest($1::text[]) as k (id) order by id
         on conflict (id) do nothing`,
};

/** Files that never came. $1 named before, $2 how many at most; their ids come back. */
export const giveUpAssets: Statement = {
  name: 'asset_give_up',
  text: `update asset set state = 'M', version = version + 1
          where id in (
            select id from asset where state = 'L' and expected_at < $1
             order by expected_at limit $2 for update skip locked
          )
         returning id`,
};

/** $1 caller, $2 key. */
export const findUploadKey: Statement = {
  name: 'asset_find_upload_key',
  text: 'select digest, batch from asset_upload_key where caller = $1 and key = $2',
};

/** Waits for whoever sends the same at the same moment; no row where that one was faster. $1 caller, $2 key, $3 digest, $4 batch, $5 now. */
export const insertUploadKey: Statement = {
  name: 'asset_insert_upload_key',
  text: `insert into asset_upload_key (caller, key, digest, batch, received_at) values ($1, $2, $3, $4, $5)
         on conflict (caller, key) do nothing`,
};

/** $1 kept since, $2 how many at most. */
export const sweepUploadKeys: Statement = {
  name: 'asset_sweep_upload_keys',
  text: `delete from asset_upload_key where (caller, key) in (
           select caller, key from asset_upload_key where received_at < $1 order by received_at limit $2
         )`,
};

/**
 * Counts bytes towards a caller's hour; no row where that would be too much. Lost in a crash, it is only a count.
 * $1 caller, $2 hour, $3 bytes, $4 most bytes in the hour.
 */
export const chargeQuota: Statement = {
  name: 'asset_charge_quota',
  text: `insert into asset_quota as q (caller, hour, bytes)
         select $1, $2, $3::bigint from set_config('synchronous_commit', 'off', true) where $3::bigint <= $4::bigint
         on conflict (caller, hour) do update set bytes = q.bytes + excluded.bytes where q.bytes + excluded.bytes <= $4
         returning bytes`,
};

/** $1 hours before this. */
export const sweepQuotas: Statement = {
  name: 'asset_sweep_quotas',
  text: 'delete from asset_quota where hour < $1',
};
