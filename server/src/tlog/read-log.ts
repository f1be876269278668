import type { Queryable } from '../db/types.ts';
import { hashesOf } from './append.ts';
import { addCheckpointText, proofText, readCheckpoint, type Checkpoint } from './format/checkpoint.ts';
import { HASH_BYTES, proveConsistency, proveInclusion } from './format/merkle.ts';
import { ED25519, keyText } from './format/note.ts';
import type { TilePlace } from './format/tiles.ts';
import type { Fact, LogId } from './log.ts';
import * as sql from './log-sql.ts';

interface Witnessed extends Record<string, unknown> {
  readonly note: string;
  /** Signature lines of witnesses. */
  readonly witnessed: string;
}

/** The newest signed checkpoint of a log, with the signatures of witnesses; undefined where there is no such log. */
export async function readNewest(db: Queryable, { facility, generation }: LogId): Promise<string | undefined> {
  const { rows } = await db.query<Witnessed>(sql.readNewestWitnessed, [facility, generation]);
  const [row] = rows;
  return row && row.note + row.witnessed;
}

/**
 * The newest checkpoint behind the proof that the log begins with its first `old` leaves (the request of c2sp.org/tlog-witness):
 * for a reader of an older checkpoint. Undefined where there is no such log, or where it is smaller.
 */
export async function readGrowth(db: Queryable, id: LogId, old: number): Promise<string | undefined> {
  const checkpoint = await readNewest(db, id);
  if (checkpoint === undefined) return undefined;
  const { size } = readCheckpoint(checkpoint).checkpoint;
  if (old > size) return undefined;
  return addCheckpointText({ oldSize: old, proof: await proveConsistency(old, size, hashesOf(db, id)), checkpoint });
}

/** The newest signed checkpoint of a facility, with the signatures of witnesses; undefined where it has no log yet. */
export async function readPresent(db: Queryable, facility: string): Promise<string | undefined> {
  const { rows } = await db.query<Witnessed>(sql.readPresentWitnessed, [facility]);
  const [row] = rows;
  return row && row.note + row.witnessed;
}

/** The newest checkpoint that witnesses have signed and that covers a leaf, else the newest one. */
export async function readCovering(
  db: Queryable,
  id: LogId,
  index: number,
): Promise<{ readonly note: string; readonly checkpoint: Checkpoint } | undefined> {
  const { rows } = await db.query<Witnessed>(sql.readWitnessed, [id.facility, id.generation, index]);
  const [row] = rows;
  const note = row ? row.note + row.witnessed : await readNewest(db, id);
  return note === undefined ? undefined : { note, checkpoint: readCheckpoint(note).checkpoint };
}

/** The first `width` hashes of a tile; undefined where it is not that wide. */
export async function readTile(
  db: Queryable,
  { facility, generation }: LogId,
  { level, index }: TilePlace,
  width: number,
): Promise<Buffer | undefined> {
  const values = [facility, generation, level, index, width * HASH_BYTES];
  const { rows } = await db.query<{ hashes: Buffer }>(sql.readTile, values);
  return rows[0]?.hashes;
}

interface KeyRow extends LogId, Record<string, unknown> {
  readonly facility: string;
  readonly generation: number;
  readonly origin: string;
  readonly from_size: number;
  readonly key: Buffer;
}

/** Every public key, as its text in signed notes, and the size of the log from which it signs. */
export async function listKeys(db: Queryable): Promise<{ origin: string; key: string; from_size: number }[]> {
  const { rows } = await db.query<KeyRow>(sql.listKeys);
  return rows.map(({ origin, key, from_size }) => ({
    origin,
    key: keyText({ name: origin, algorithm: ED25519, key }),
    from_size,
  }));
}

/** A fact in the log: its leaf, the salt of its commitments while it is stored, and the proof (c2sp.org/tlog-proof). */
export interface Proven {
  readonly entry: string;
  readonly salt: Buffer | null;
  readonly proof: string;
}

/**
 * Proves that a fact is in its log, against the newest checkpoint that witnesses have signed, or else the newest one;
 * undefined before it has a leaf.
 */
export async function proveFact(
  db: Queryable,
  facility: string,
  { kind, source }: Pick<Fact, 'kind' | 'source'>,
): Promise<Proven | undefined> {
  const { rows } = await db.query<{ generation: number; index: number; entry: string; salt: Buffer | null }>(
    sql.findLeaf,
    [facility, kind, source],
  );
  const [leaf] = rows;
  if (!leaf) return undefined;
  const id = { facility, generation: leaf.generation };
  const covering = await readCovering(db, id, leaf.index);
  if (!covering) return undefined;
  const path = await proveInclusion(leaf.index, covering.checkpoint.size, hashesOf(db, id));
  return { entry: leaf.entry, salt: leaf.salt, proof: proofText(leaf.index, path, covering.note) };
}
