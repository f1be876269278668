import type { Queryable } from '../db/types.ts';
import { NoSuchObject, storeUnavailable, type ObjectStore } from '../object-store/object-store.ts';
import { findPlace } from './objects/sql.ts';
import type { Asset } from './queries.ts';
import { findChunk } from './sql.ts';

/** The rows and the bytes of files. Files that are objects need the store. */
export interface FileSource {
  readonly db: Queryable;
  readonly store?: ObjectStore | undefined;
}

/** The part of a file that locates its bytes; its asset may not exist yet. */
export type Stored = Pick<Asset, 'id' | 'content' | 'size' | 'object'>;

/** A part of a file, `end` not included. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * A file whose bytes have a gap: retention has deleted it meanwhile, or the storage is damaged. The message goes to logs,
 * so it names the content: an asset's id grants access to the asset.
 */
export class MissingBytes extends Error {}

/**
 * Reads a file's bytes, or a part of them, in pieces of at most 256 KiB. Contents never change, so a slow reader needs
 * no open transaction.
 * @throws MissingBytes; StorageUnavailable where a later retry may pass
 */
export type ReadFile = (file: Stored, part?: Part) => AsyncGenerator<Buffer, void, undefined>;

/** Reads from rows and from the object store, also while a file moves from one to the other. */
export function fileReader(db: Queryable, store: ObjectStore | undefined): ReadFile {
  return async function* (file, part) {
    const { end } = part ?? { end: file.size };
    let start = part?.start ?? 0;
    let { object } = file;
    while (start < end) {
      const pieces =
        object === null ? readRows(db, file, { start, end }) : readObject(store, file, object, { start, end });
      try {
        for await (const piece of pieces) {
          start += piece.length;
          yield piece;
        }
        return;
      } catch (error) {
        const place = error instanceof MissingBytes ? await placeOf(db, file) : undefined;
        if (place === undefined || place === object) throw error;
        object = place;
      }
    }
  };
}

/** The key of the file's object, null for rows; undefined where the bytes are deleted. */
async function placeOf(db: Queryable, { id, content }: Stored): Promise<string | null | undefined> {
  const { rows } = await db.query<{ object: string | null }>(findPlace, [id, content]);
  return rows[0]?.object;
}

async function* readObject(
  store: ObjectStore | undefined,
  { content }: Stored,
  object: string,
  part: Part,
): AsyncGenerator<Buffer, void, undefined> {
  if (!store) throw storeUnavailable(new Error(`content ${content} is an object, and S3_URL is unset`));
  let read = 0;
  try {
    for await (const piece of store.read(object, part)) {
      read += piece.length;
      yield piece;
    }
  } catch (error) {
    throw error instanceof NoSuchObject ? new MissingBytes(`content ${content}: ${error.message}`) : error;
  }
  if (read !== part.end - part.start)
    throw new MissingBytes(`content ${content} has ${read} bytes from ${part.start} on`);
}

/** Reads one piece ahead. */
async function* readRows(db: Queryable, file: Stored, { start, end }: Part): AsyncGenerator<Buffer, void, undefined> {
  let next: Promise<Chunk> | undefined = readChunk(db, file, start);
  while (next) {
    const chunk: Chunk = await next;
    const { at, bytes } = chunk;
    const until = at + bytes.length;
    next = until < end ? readChunk(db, file, until) : undefined;
    // This read runs ahead. A reader that stops early never receives its error.
    next?.catch(() => undefined);
    yield bytes.subarray(Math.max(start - at, 0), end - at);
  }
}

interface Chunk {
  readonly at: number;
  readonly bytes: Buffer;
}

async function readChunk(db: Queryable, { content }: Stored, place: number): Promise<Chunk> {
  const { rows } = await db.query<{ at: number; data: string }>(findChunk, [content, place]);
  const [row] = rows;
  const bytes = Buffer.from(row?.data ?? '', 'base64');
  if (!row || row.at + bytes.length <= place) throw new MissingBytes(`content ${content} has no byte ${place}`);
  return { at: row.at, bytes };
}
