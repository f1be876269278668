import { bytea, columns, int2, int8, text, uuid } from '../db/columns.ts';
import { statement } from '../db/statement.ts';

/** The file has its bytes and has not expired. */
const isReady = `(state = 'R' and purged_at is null)`;
const readyColumns = 'id, batch, seq, name, mime, size, sha256, content, object';

/** $1 id. */
export const findAsset = statement('asset_find', `select ${readyColumns} from asset where id = $1 and ${isReady}`);

/** All files of an upload for its primary id; for any other id that file alone. $1 id. */
export const findUpload = statement(
  'asset_find_upload',
  `select ${readyColumns} from asset where (batch = $1 or id = $1) and ${isReady} order by seq`,
);

/** The files of several ids, each like `findUpload`. $1 ids. */
export const findUploads = statement(
  'asset_find_uploads',
  `select ${readyColumns} from asset
    where (batch = any ($1::text[]) or id = any ($1::text[])) and ${isReady} order by batch, seq`,
);

/**
 * The chunk that contains a byte. It is base64, because the driver reads every column as text, and this is the shorter
 * form.
 * $1 content, $2 the byte's place.
 */
export const findChunk = statement(
  'asset_find_chunk',
  `select at, encode(data, 'base64') as data from asset_chunk
    where content = $1 and at <= $2 order by at desc limit 1`,
);

/**
 * A chunk of an unfinished content. It runs in `withoutFlush`: the commit that creates the asset flushes all earlier
 * writes. $1 content, $2 the chunk's place, $3 its bytes, $4 when it expires.
 */
export const saveIncoming = statement(
  'asset_save_incoming',
  `with coming as (
     insert into asset_intake as i (content, received, expires_at) values ($1, $2::int8 + length($3::bytea), $4)
     on conflict (content) do update
        set received = greatest(i.received, excluded.received), expires_at = excluded.expires_at
     returning content
   ), chunk as (
     insert into asset_chunk (content, at, data) values ($1, $2, $3)
   )
   select content from coming`,
);

/**
 * One statement for each chunk: an array would copy the bytes once more on each side. $1 content, $2 place, $3 bytes.
 */
export const insertChunk = statement(
  'asset_insert_chunk',
  'insert into asset_chunk (content, at, data) values ($1, $2, $3)',
);

/** Takes complete contents out of the sweep. It returns a row for each that still exists. $1 contents. */
export const endIntake = statement('asset_end_intake', 'delete from asset_intake where content = any ($1::uuid[])');

/** Deletes contents. $1 contents. */
export const dropIncoming = statement(
  'asset_drop_incoming',
  `with gone as (delete from asset_intake where content = any ($1::uuid[]) returning content)
   delete from asset_chunk c using gone where c.content = gone.content`,
);

/**
 * Deletes expired, incomplete contents, but skips those that another transaction is ending. $1 now, $2 how many at
 * most.
 */
export const sweepIncoming = statement(
  'asset_sweep_incoming',
  `with gone as (
     delete from asset_intake where content in (
       select content from asset_intake where expires_at < $1 and received is distinct from length
        order by expires_at limit $2 for update skip locked
     )
     returning content
   ), chunks as (
     delete from asset_chunk c using gone where c.content = gone.content
   )
   select content from gone`,
);

/** A file whose bytes are stored. */
export interface StoredFile {
  readonly id: string;
  /** Its place in the upload, from 1. */
  readonly seq: number;
  readonly content: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly sha256: Buffer;
  /** The key of its object; null where its bytes are rows. */
  readonly object: string | null;
}

const files = columns<StoredFile>(
  {
    id: text(({ id }) => id),
    seq: int2(({ seq }) => seq),
    content: uuid(({ content }) => content),
    name: text(({ name }) => name),
    mime: text(({ mime }) => mime),
    size: int8(({ size }) => size),
    sha256: bytea(({ sha256 }) => sha256),
    object: text(({ object }) => object),
  },
  2,
);

/**
 * Adds the files of one upload. A file that a stop has named already has a row: that row gets its bytes.
 * $1 batch, $2 now, then the columns.
 */
export const insertAssets = files.statement(
  'asset_insert',
  `insert into asset (id, batch, seq, state, content, name, mime, size, sha256, object, received_at)
   select k.id, $1, k.seq, 'R', k.content, k.name, k.mime, k.size, k.sha256, k.object, $2
     from ${files.rows}
   on conflict (id) do update
      set batch = excluded.batch, seq = excluded.seq, state = 'R', content = excluded.content,
          name = excluded.name, mime = excluded.mime, size = excluded.size, sha256 = excluded.sha256,
          object = excluded.object, received_at = excluded.received_at, version = asset.version + 1
    where asset.state <> 'R'`,
);

/** Adds rows for awaited files; known files stay as they are. $1 ids, $2 now. */
export const expectAssets = statement(
  'asset_expect',
  `insert into asset (id, batch, state, expected_at)
   select distinct id, id, 'L', $2::timestamptz from unnest($1::text[]) as k (id) order by id
   on conflict (id) do nothing`,
);

/** Gives up awaited files and returns their ids. $1 named before, $2 how many at most. */
export const markMissingAssets = statement(
  'asset_give_up',
  `update asset set state = 'M', version = version + 1
    where id in (
      select id from asset where state = 'L' and expected_at < $1
       order by expected_at limit $2 for update skip locked
    )
   returning id`,
);

/** $1 caller, $2 key. */
export const findUploadKey = statement(
  'asset_find_upload_key',
  'select digest, batch from asset_upload_key where caller = $1 and key = $2',
);

/**
 * Claims a key. It waits for a concurrent request with the same key, and returns no row where that one was faster. $1
 * caller, $2 key, $3 digest, $4 batch, $5 now.
 */
export const insertUploadKey = statement(
  'asset_insert_upload_key',
  `insert into asset_upload_key (caller, key, digest, batch, received_at) values ($1, $2, $3, $4, $5)
   on conflict (caller, key) do nothing`,
);

/** $1 oldest that stays, $2 how many at most. */
export const sweepUploadKeys = statement(
  'asset_sweep_upload_keys',
  `delete from asset_upload_key where (caller, key) in (
     select caller, key from asset_upload_key where received_at < $1 order by received_at limit $2
   )`,
);

/** Makes the row that `chargeQuota` counts in. $1 caller, $2 hour. */
export const beginQuota = statement(
  'asset_begin_quota',
  'insert into asset_quota (caller, hour, bytes) values ($1, $2, 0) on conflict (caller, hour) do nothing',
);

/**
 * Counts a caller's bytes in an hour; returns no row above the limit. $1 caller, $2 hour, $3 bytes, $4 most bytes in the
 * hour.
 */
export const chargeQuota = statement(
  'asset_charge_quota',
  `update asset_quota set bytes = bytes + $3 where caller = $1 and hour = $2 and bytes + $3 <= $4 returning bytes`,
);

/** $1 hours before this. */
export const sweepQuotas = statement('asset_sweep_quotas', 'delete from asset_quota where hour < $1');
