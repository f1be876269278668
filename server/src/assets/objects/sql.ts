import { statement } from '../../db/statement.ts';

/** The present place of a file's bytes. $1 id, $2 content. */
export const findPlace = statement(
  'asset_find_place',
  'select object from asset where id = $1 and content = $2 and purged_at is null',
);

/** A file whose bytes can move. */
export interface MovableFile extends Record<string, unknown> {
  readonly id: string;
  readonly content: string;
  readonly size: number;
  readonly sha256: Buffer;
  readonly object: string | null;
}

const movable = 'id, content, size, sha256, object';

/** The oldest files with bytes in rows. $1 ids to leave out, $2 how many at most. */
export const findInRows = statement(
  'asset_find_in_rows',
  `select ${movable} from asset
    where object is null and state = 'R' and purged_at is null and size > 0 and id <> all ($1::text[])
    order by received_at limit $2`,
);

/** Files with bytes in objects, in the order of their keys. $1 the last key before, $2 how many at most. */
export const findInObjects = statement(
  'asset_find_in_objects',
  `select ${movable} from asset where object > $1 order by object limit $2`,
);

/** Names the object of a file and deletes its rows; no row where the file has changed. $1 id, $2 content, $3 object. */
export const setObject = statement(
  'asset_set_object',
  `with moved as (
     update asset set object = $3 where id = $1 and content = $2 and object is null and purged_at is null
     returning content
   ), rows as (
     delete from asset_chunk c using moved m where c.content = m.content
   )
   select content from moved`,
);

/** Ends the use of a file's object, whose bytes are rows of the same transaction. $1 id, $2 object. */
export const unsetObject = statement(
  'asset_unset_object',
  'update asset set object = null where id = $1 and object = $2',
);

/** $1 keys of objects; returns those that no file and no list of deletions names. */
export const findUnknown = statement(
  'asset_find_unknown_objects',
  `select k.object from unnest($1::text[]) as k (object)
    where not exists (select from asset a where a.object = k.object)
      and not exists (select from asset_gone_object g where g.object = k.object)`,
);

/** $1 keys of objects, $2 now. */
export const addGone = statement(
  'asset_add_gone_objects',
  `insert into asset_gone_object (object, gone_at) select distinct k.object, $2::timestamptz from unnest($1::text[]) as k (object)
   on conflict (object) do nothing`,
);

/** Objects to delete: no file names them. $1 their beginning, $2 the first key behind it, $3 gone before, $4 at most. */
export const findGone = statement(
  'asset_find_gone_objects',
  `select g.object from asset_gone_object g
    where g.object >= $1 and g.object < $2 and g.gone_at < $3
      and not exists (select from asset a where a.object = g.object)
    order by g.gone_at limit $4`,
);

/** $1 keys of objects. */
export const dropGone = statement(
  'asset_drop_gone_objects',
  'delete from asset_gone_object where object = any ($1::text[])',
);

/** $1 prefix, $2 epoch. */
export const addStore = statement(
  'asset_add_store',
  `insert into asset_store (prefix, epoch) values ($1, $2)
   on conflict (prefix) do update set epoch = excluded.epoch`,
);

/** A part of the store that this database may delete from. */
export interface StoreRow extends Record<string, unknown> {
  readonly prefix: string;
  readonly mark: string | null;
  readonly next_mark: string | null;
  /** The last listed key. */
  readonly listed_to: string;
  readonly disputed_at: Date | null;
}

/** Claims a part for a while; no row where another process has it. $1 prefix, $2 now, $3 until. */
export const claimStore = statement(
  'asset_claim_store',
  `update asset_store set claimed_until = $3
    where prefix = $1 and (claimed_until is null or claimed_until < $2)
   returning prefix, mark, next_mark, listed_to, disputed_at`,
);

/** $1 prefix. */
export const releaseStore = statement(
  'asset_release_store',
  'update asset_store set claimed_until = null where prefix = $1',
);

/** Those of an earlier epoch may belong to another database by now. $1 epoch. */
export const listStores = statement(
  'asset_list_stores',
  `select prefix, mark, next_mark, listed_to, disputed_at from asset_store
    where epoch = $1 order by owned_since, prefix`,
);

/** Whether any file is an object. */
export const findAnyObject = statement(
  'asset_find_any_object',
  'select object from asset where object is not null limit 1',
);

/** $1 prefix, $2 mark. */
export const announceMark = statement('asset_announce_mark', 'update asset_store set next_mark = $2 where prefix = $1');

/** $1 prefix, $2 mark. */
export const confirmMark = statement(
  'asset_confirm_mark',
  'update asset_store set mark = $2, next_mark = null, disputed_at = null where prefix = $1',
);

/** $1 prefix, $2 now. */
export const disputeStore = statement(
  'asset_dispute_store',
  'update asset_store set disputed_at = coalesce(disputed_at, $2) where prefix = $1',
);

/** $1 prefix, $2 the last listed key. */
export const saveListed = statement('asset_save_listed', 'update asset_store set listed_to = $2 where prefix = $1');

/** Files and bytes by their place; `prefix` is null for rows. */
export const countPlaces = statement(
  'asset_count_places',
  `select regexp_replace(object, '/[^/]*$', '/') as prefix, count(*)::int8 as files, sum(size)::int8 as bytes
     from asset where state = 'R' and purged_at is null group by 1 order by 1 nulls first`,
);

/** Objects that wait for their deletion, by prefix. */
export const countGone = statement(
  'asset_count_gone_objects',
  `select regexp_replace(object, '/[^/]*$', '/') as prefix, count(*)::int8 as objects
     from asset_gone_object group by 1 order by 1`,
);

/** The cell (schema), the PostgreSQL and the epoch of this database. */
export const findPlaceOfDatabase = statement(
  'asset_find_place_of_database',
  'select current_schema() as cell, cluster, epoch from server_epoch order by epoch desc limit 1',
);
