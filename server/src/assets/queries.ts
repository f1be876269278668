import type { Queryable } from '../db/types.ts';
import { expectAssets, findAsset as findAssetRow, findChunk, findUpload, findUploads, giveUpAssets } from './sql.ts';

/** A file whose bytes are here. */
export interface Asset {
  readonly id: string;
  /** Id of the first file of its upload, and its place there, from 1. */
  readonly batch: string;
  readonly seq: number;
  /** As it was sent, without folders; may be empty. */
  readonly name: string;
  /** `type/subtype`. */
  readonly mime: string;
  readonly size: number;
  readonly sha256: Buffer;
  /** Whose chunks are its bytes. */
  readonly content: string;
}

/** A file by its id; undefined where there is none, or where a stop names it and its bytes are still to come. */
export async function findAsset(db: Queryable, id: string): Promise<Asset | undefined> {
  const { rows } = await db.query<Asset>(findAssetRow, [id]);
  return rows[0];
}

/** The files that an id stands for: a primary id for its whole upload in order, any other for its own file (contract §3). */
export async function findUploadFiles(db: Queryable, id: string): Promise<Asset[]> {
  const { rows } = await db.query<Asset>(findUpload, [id]);
  return rows;
}

/** All files that these ids stand for, each once, those of an upload in its order. */
export async function findAssetsOf(db: Queryable, ids: readonly string[]): Promise<Asset[]> {
  const { rows } = await db.query<Asset>(findUploads, [ids]);
  return rows;
}

/** Makes sure that files which a stop names have a row, so that the host's header of each can say that it is awaited. */
export async function expectFiles(db: Queryable, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length > 0) await db.query(expectAssets, [ids, now]);
}

/** Notes that files which were named before `before` never came, and answers their ids, at most `most`. */
export async function giveUpFiles(db: Queryable, before: Date, most: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(giveUpAssets, [before, most]);
  return rows.map(({ id }) => id);
}

/** What of a file tells where its bytes are; its asset may be still to come. */
export type Stored = Pick<Asset, 'id' | 'content' | 'size'>;

/** A part of a file, `end` not included. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * A file's bytes, or a part of them, in pieces of at most 256 KiB: one in the reader's hands, one on its way. Contents
 * never change, so no transaction is held open for a slow reader.
 */
export async function* readBytes(db: Queryable, asset: Stored, part?: Part): AsyncGenerator<Buffer, void, undefined> {
  const { start, end } = part ?? { start: 0, end: asset.size };
  let next = start < end ? readChunk(db, asset, start) : undefined;
  while (next) {
    const { at, bytes } = await next;
    const until = at + bytes.length;
    next = until < end ? readChunk(db, asset, until) : undefined;
    // Asked for ahead: where nobody comes for it any more, its error is nobody's.
    next?.catch(() => undefined);
    yield bytes.subarray(Math.max(start - at, 0), end - at);
  }
}

async function readChunk(
  db: Queryable,
  { id, content }: Stored,
  place: number,
): Promise<{ at: number; bytes: Buffer }> {
  const { rows } = await db.query<{ at: number; data: string }>(findChunk, [content, place]);
  const [row] = rows;
  const bytes = Buffer.from(row?.data ?? '', 'base64');
  if (!row || row.at + bytes.length <= place) throw new Error(`asset ${id} has no byte ${place}`);
  return { at: row.at, bytes };
}
