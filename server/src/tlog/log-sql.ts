import { bytea, columns, instant, int2, int8, text } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { TilePlace } from './format/tiles.ts';

/** Unless stated otherwise: $1 facility, $2 generation. */
const ofLog = 'facility = $1 and generation = $2';

/**
 * The present generation, locked until the end of the transaction: one server at a time appends and signs. $1 facility.
 */
export const lockLog = statement(
  'log_lock',
  `select l.generation, l.origin, l.epoch, l.size,
          (select k.key from log_key k where k.facility = l.facility and k.generation = l.generation
            order by k.from_size desc limit 1) as key
     from log l where l.facility = $1 and l.ended_at is null for update of l`,
);

/** The epoch of the server, and the newest generation of a log that has ended. $1 facility. */
export const readEpoch = statement(
  'log_read_epoch',
  `select (select coalesce(max(epoch), 1) from server_epoch) as epoch,
          coalesce((select max(generation) from log where facility = $1), 0) as newest`,
);

/** $1 facility, $2 generation, $3 origin, $4 epoch, $5 now. No row where another server has begun it just now. */
export const beginLog = statement(
  'log_begin',
  `insert into log (facility, generation, origin, epoch, started_at) values ($1, $2, $3, $4, $5)
   on conflict do nothing returning generation`,
);

/** $3 now. */
export const endLog = statement('log_end', `update log set ended_at = $3 where ${ofLog}`);

/** $3 from which size, $4 key. */
export const addKey = statement(
  'log_add_key',
  `insert into log_key (facility, generation, from_size, key) values ($1, $2, $3, $4)`,
);

/** The tiles of these places. */
const places = columns<TilePlace>({ level: int2(({ level }) => level), tile_index: int8(({ index }) => index) }, 2);
export const readTiles = places.statement(
  'log_read_tiles',
  `select t.level, t.tile_index as index, t.hashes from ${places.rows} join log_tile t using (level, tile_index) where ${ofLog}`,
);

export interface TileRow {
  readonly place: TilePlace;
  readonly bytes: Buffer;
}
const tiles = columns<TileRow>(
  {
    level: int2(({ place }) => place.level),
    tile_index: int8(({ place }) => place.index),
    hashes: bytea(({ bytes }) => bytes),
  },
  2,
);
export const saveTiles = tiles.statement(
  'log_save_tiles',
  `insert into log_tile (facility, generation, ${tiles.names}) select $1, $2, k.* from ${tiles.rows}
   on conflict (facility, generation, level, tile_index) do update set hashes = excluded.hashes`,
);

export interface LeafRow {
  readonly index: number;
  readonly kind: string;
  readonly source: string;
  readonly entry: string;
}
const leaves = columns<LeafRow>(
  {
    leaf_index: int8(({ index }) => index),
    kind: text(({ kind }) => kind),
    source: text(({ source }) => source),
    entry: text(({ entry }) => entry),
  },
  2,
);
export const saveLeaves = leaves.statement(
  'log_save_leaves',
  `insert into log_leaf (facility, generation, ${leaves.names}) select $1, $2, k.* from ${leaves.rows}`,
);

export interface SaltRow {
  readonly index: number;
  readonly salt: Buffer;
}
const salts = columns<SaltRow>({ leaf_index: int8(({ index }) => index), salt: bytea(({ salt }) => salt) }, 2);
export const saveSalts = salts.statement(
  'log_save_salts',
  `insert into log_salt (facility, generation, ${salts.names}) select $1, $2, k.* from ${salts.rows}`,
);

export interface ProgressRow {
  readonly route_id: string;
  readonly week_end: string;
  readonly version: number;
  readonly confirmed: Date | null;
}
const progress = columns<ProgressRow>(
  {
    route_id: text(({ route_id }) => route_id),
    week_end: text(({ week_end }) => week_end),
    logged_through: int8(({ version }) => version),
    confirmed_through: instant(({ confirmed }) => confirmed),
  },
  1,
);
/** $1 facility. */
export const saveProgress = progress.statement(
  'log_save_progress',
  `insert into log_progress as p (facility, ${progress.names}) select $1, k.* from ${progress.rows}
   on conflict (facility, route_id, week_end) do update
      set logged_through = greatest(p.logged_through, excluded.logged_through),
          confirmed_through = greatest(p.confirmed_through, excluded.confirmed_through)`,
);

/** Sets the size of the log, stores its checkpoint, and deletes old ones that no witness names. $3 size, $4 now, $5 note. */
export const saveCheckpoint = statement(
  'log_save_checkpoint',
  `with grown as (
     update log set size = $3 where ${ofLog}
   ), dropped as (
     delete from log_checkpoint k
      where ${ofLog} and signed_at < $4::timestamptz - interval '7 days'
        and not exists (select from log_cosignature w where (w.facility, w.generation, w.size) = ($1, $2, k.size))
   )
   insert into log_checkpoint (facility, generation, size, signed_at, note) values ($1, $2, $3, $4, $5)`,
);

/** The newest checkpoint of a generation. */
export const readCheckpoint = statement(
  'log_read_checkpoint',
  `select l.epoch, c.note from log_checkpoint c join log l using (facility, generation)
    where c.facility = $1 and c.generation = $2 order by c.size desc limit 1`,
);

/** The lines of the witnesses for a checkpoint `c`, as one text. */
const witnessed = `(select coalesce(string_agg(w.line || e'\\n', '' order by w.witness), '') from log_cosignature w
            where (w.facility, w.generation, w.size) = (c.facility, c.generation, c.size)) as witnessed`;

/** The newest checkpoint of a generation. */
export const readNewestWitnessed = statement(
  'log_read_newest_witnessed',
  `select c.note, ${witnessed}
     from log_checkpoint c where c.facility = $1 and c.generation = $2 order by c.size desc limit 1`,
);

/** The same of the present log of a facility. $1 facility. */
export const readPresentWitnessed = statement(
  'log_read_present_witnessed',
  `select c.note, ${witnessed}
     from log_checkpoint c where c.facility = $1 order by c.generation desc, c.size desc limit 1`,
);

/** The checkpoint of more than $3 leaves that most witnesses have signed, the newest of them. */
export const readWitnessed = statement(
  'log_read_witnessed',
  `select c.note, string_agg(w.line || e'\\n', '' order by w.witness) as witnessed
     from log_cosignature w join log_checkpoint c using (facility, generation, size)
    where facility = $1 and generation = $2 and size > $3
    group by size, c.note order by count(*) desc, size desc limit 1`,
);

/** The beginning of a tile. $3 level, $4 index, $5 bytes. No row where the tile is shorter. */
export const readTile = statement(
  'log_read_tile',
  `select substring(hashes for $5) as hashes from log_tile
    where ${ofLog} and level = $3 and tile_index = $4 and length(hashes) >= $5`,
);

/** Every key with its log. */
export const listKeys = statement(
  'log_list_keys',
  `select l.facility, l.generation, l.origin, k.from_size, k.key
     from log l join log_key k using (facility, generation)
    order by l.facility, l.generation, k.from_size`,
);

/** The leaf of a fact. $1 facility, $2 kind, $3 source. */
export const findLeaf = statement(
  'log_find_leaf',
  `select f.generation, f.leaf_index as index, f.entry, s.salt
     from log_leaf f left join log_salt s using (facility, generation, leaf_index)
    where f.facility = $1 and f.kind = $2 and f.source = $3`,
);
