import type { Queryable } from '../db/types.ts';
import {
  expectAssets,
  findAsset as findAssetRow,
  findChunk,
  findUpload,
  findUploads,
  markMissingAssets,
} from './sql.ts';

/** A file with stored bytes. */
export interface Asset {
  readonly id: string;
  /** Id of the first file of its upload, and its place there, from 1. */
  readonly batch: string;
  readonly seq: number;
  /** The sender's name without folders; may be empty. */
  readonly name: string;
  /** `type/subtype`. */
  readonly mime: string;
  readonly size: number;
  readonly sha256: Buffer;
  /** The content whose chunks are its bytes. */
  readonly content: string;
}

/** Finds a file by its id; undefined for an unknown or an awaited file. */
export async function findAsset(db: Queryable, id: string): Promise<Asset | undefined> {
  const { rows } = await db.query<Asset>(findAssetRow, [id]);
  return rows[0];
}

/**
 * Finds the files of an id: for a primary id its whole upload in order, for any other id its own file (contract §3).
 */
export async function findUploadFiles(db: Queryable, id: string): Promise<Asset[]> {
  const { rows } = await db.query<Asset>(findUpload, [id]);
  return rows;
}

/** Finds all files of these ids, each once, those of an upload in its order. */
export async function findAssetsOf(db: Queryable, ids: readonly string[]): Promise<Asset[]> {
  const { rows } = await db.query<Asset>(findUploads, [ids]);
  return rows;
}

/** Creates rows for named files that have none, so that the host's header of each can show it as awaited. */
export async function expectFiles(db: Queryable, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length > 0) await db.query(expectAssets, [ids, now]);
}

/** Gives up files that were named before `before` and never arrived, at most `most`. Returns their ids. */
export async function markMissingFiles(db: Queryable, before: Date, max: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(markMissingAssets, [before, max]);
  return rows.map(({ id }) => id);
}

/** The part of a file that locates its bytes; its asset may not exist yet. */
export type Stored = Pick<Asset, 'id' | 'content' | 'size'>;

/** A part of a file, `end` not included. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** A file whose chunks have a gap: retention has deleted it meanwhile, or the storage is damaged. */
export class MissingBytes extends Error {}

/**
 * Reads a file's bytes, or a part of them, in pieces of at most 256 KiB, one piece ahead. Contents never change, so a
 * slow reader needs no open transaction.
 */
export async function* readBytes(db: Queryable, asset: Stored, part?: Part): AsyncGenerator<Buffer, void, undefined> {
  const { start, end } = part ?? { start: 0, end: asset.size };
  let next = start < end ? readChunk(db, asset, start) : undefined;
  while (next) {
    const { at, bytes } = await next;
    const until = at + bytes.length;
    next = until < end ? readChunk(db, asset, until) : undefined;
    // This read runs ahead. A reader that stops early never receives its error.
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
  if (!row || row.at + bytes.length <= place) throw new MissingBytes(`asset ${id} has no byte ${place}`);
  return { at: row.at, bytes };
}
