import { createHash } from 'node:crypto';
import type { Queryable, Tx } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import { freshId } from '../../stops/mutation-id.ts';
import { fileReader, MissingBytes } from '../file-bytes.ts';
import { insertChunk } from '../sql.ts';
import { storeUnavailable, type ObjectStore } from '../../object-store/object-store.ts';
import { addGone, findInObjects, findInRows, setObject, unsetObject, type MovableFile } from './sql.ts';

export interface MoveDeps {
  readonly db: Queryable;
  readonly inTransaction: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  readonly store: ObjectStore;
  readonly prefix: string;
  readonly clock: () => Date;
  readonly log: Log;
  /** Called after each file. */
  readonly moved?: (bytes: number) => void;
}

export interface Moved {
  readonly files: number;
  readonly bytes: number;
  /** Ids of files whose stored bytes are not those of their digest: they stay where they are. */
  readonly damaged: readonly string[];
}

/** The bytes at one place do not have the file's length and SHA-256. */
class Damaged extends Error {}

const filesATurn = 50;
const maxDamaged = 100;
const chunkBytes = 256 * 1024;

/**
 * Moves the bytes of all files from rows to objects, the oldest first. It may be stopped at any point and run again,
 * also beside servers and beside itself. A file has its new object in full before its rows go.
 * @throws StorageUnavailable
 */
export function moveToObjects(deps: MoveDeps): Promise<Moved> {
  return moveAll(deps, {
    next: async (damaged) => (await deps.db.query<MovableFile>(findInRows, [damaged, filesATurn])).rows,
    move: (file) => toObject(deps, file),
  });
}

/** Moves the bytes of all files from objects to rows. The sweep deletes the objects later. Otherwise as above. */
export function moveToRows(deps: MoveDeps): Promise<Moved> {
  let after = '';
  return moveAll(deps, {
    next: async () => {
      const { rows } = await deps.db.query<MovableFile>(findInObjects, [after, filesATurn]);
      after = rows.at(-1)?.object ?? after;
      return rows;
    },
    move: (file) => toRows(deps, file),
  });
}

interface Direction {
  readonly next: (damaged: readonly string[]) => Promise<MovableFile[]>;
  /** @returns whether the file has moved; another process may have been faster */
  readonly move: (file: MovableFile) => Promise<boolean>;
}

async function moveAll({ log, moved }: MoveDeps, { next, move }: Direction): Promise<Moved> {
  const damaged: string[] = [];
  let [files, bytes] = [0, 0];
  while (damaged.length < maxDamaged) {
    const turn = await next(damaged);
    if (turn.length === 0) break;
    for (const file of turn) {
      try {
        if (!(await move(file))) continue;
        files++;
        bytes += file.size;
        moved?.(file.size);
      } catch (err) {
        if (!(err instanceof Damaged)) throw err;
        damaged.push(file.id);
        log.error(
          { err, content: file.content },
          'the stored bytes of a file are not those that arrived: it does not move',
        );
      }
    }
  }
  return { files, bytes, damaged };
}

async function toObject({ db, store, prefix, clock }: MoveDeps, file: MovableFile): Promise<boolean> {
  const key = `${prefix}${freshId(clock())}`;
  const read = fileReader(db, undefined);
  let fault: unknown;
  const bytes = async function* (): AsyncGenerator<Buffer> {
    try {
      yield* checked(read(file), file);
    } catch (error) {
      fault = error;
      throw error;
    }
  };
  await store.putStream(key, bytes()).catch((error: unknown) => {
    // A fault of the bytes is none of the store's.
    throw fault ?? error;
  });
  // The rows are the only other copy.
  if ((await store.sizeOf(key)) !== file.size)
    throw storeUnavailable(new Error(`${key} is shorter than content ${file.content}`));
  const { rowCount } = await db.query(setObject, [file.id, file.content, key]);
  if (rowCount === 0) await db.query(addGone, [[key], clock()]);
  return rowCount === 1;
}

async function toRows({ db, store, inTransaction, clock }: MoveDeps, file: MovableFile): Promise<boolean> {
  const read = fileReader(db, store);
  return inTransaction(async (tx) => {
    let at = 0;
    for await (const bytes of inChunks(checked(read(file), file))) {
      await tx.query(insertChunk, [file.content, at, bytes]);
      at += bytes.length;
    }
    const { rowCount } = await tx.query(unsetObject, [file.id, file.object]);
    // Another process was faster, and its rows are there.
    if (rowCount !== 1) throw new Error(`content ${file.content} has moved meanwhile: run the command again`);
    await tx.query(addGone, [[file.object], clock()]);
    return true;
  });
}

/** Passes bytes on, and fails at their end where they are not those of the file. */
async function* checked(bytes: AsyncIterable<Buffer>, { content, size, sha256 }: MovableFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let length = 0;
  try {
    for await (const piece of bytes) {
      hash.update(piece);
      length += piece.length;
      yield piece;
    }
  } catch (cause) {
    throw cause instanceof MissingBytes ? new Damaged(cause.message, { cause }) : cause;
  }
  if (length !== size || !hash.digest().equals(sha256))
    throw new Damaged(`the bytes of content ${content} have another SHA-256`);
}

async function* inChunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of bytes) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (; rest.length >= chunkBytes; rest = rest.subarray(chunkBytes)) yield rest.subarray(0, chunkBytes);
  }
  if (rest.length > 0) yield rest;
}
