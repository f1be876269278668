import type { Hash } from 'node:crypto';
import { createHash, randomBytes } from 'node:crypto';
import { assetIdBytes, formatAssetId } from '@tailgate/sync-protocol';
import { uuidArray } from '../db/arrays.ts';
import type { Db, Queryable, Tx } from '../db/types.ts';
import { freshId } from '../stops/mutation-id.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { fileName } from './file-name.ts';
import type { ObjectStore } from '../object-store/object-store.ts';
import type { DirectObjects, HeldFile } from './objects/direct.ts';
import type { UploadLimits } from './limits.ts';
import { detectType, sampleBytes } from './media-type.ts';
import { findUploadFiles } from './queries.ts';
import { UploadRefusal } from './refusal.ts';
import type { SharedCommit } from './shared-commit.ts';
import { endIntake, findUploadKey, insertAssets, insertChunk, insertUploadKey, type StoredFile } from './sql.ts';
import type { ChunkBuffer, BufferPool } from './chunk-buffer.ts';

export interface UploadDeps {
  readonly db: Db;
  readonly commit: SharedCommit;
  readonly clock: () => Date;
  readonly limits: UploadLimits;
  /** Shared by all uploads of the process. */
  readonly buffers: BufferPool;
  /** For files that are objects. */
  readonly store?: ObjectStore | undefined;
  /** Undefined: all bytes go into rows. */
  readonly objects?: DirectObjects | undefined;
  /** Receives the number of durable bytes of new files. */
  readonly arrived?: (bytes: number) => void;
}

/** The owner of an upload, and its idempotency key. */
export interface UploadOrigin {
  readonly caller: string;
  readonly key: string | undefined;
}

/** Longer than any request takes; older rows are the remains of a process that was killed. */
const incomingMs = 3_600_000;

interface IncomingFile {
  readonly content: string;
  readonly sentName: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly sha256: Buffer;
  /** Its bytes, if they are in memory. */
  readonly held: HeldFile | undefined;
}

/** The earlier upload under a key: the digest of its bytes and its first file's id. */
interface Earlier {
  readonly digest: Buffer;
  readonly batch: string;
}

/** Begins an upload. For a known key the service only compares the bytes and writes nothing. */
export async function openUpload(deps: UploadDeps, origin: UploadOrigin): Promise<Upload> {
  return new Upload(deps, origin, await findEarlier(deps.db, origin));
}

/**
 * The files of one request, from the first byte to their ids: `take` each, then `finish`, or `abandon` on any failure.
 * Other requests see none of it until `finish` has committed; then all of it is durable (I4).
 */
export class Upload {
  readonly #deps: UploadDeps;
  readonly #origin: UploadOrigin;
  readonly #earlier: Earlier | undefined;
  readonly #writer: ChunkWriter;
  readonly #files: IncomingFile[] = [];
  readonly #held = new Set<HeldFile>();
  #bytes = 0;

  constructor(deps: UploadDeps, origin: UploadOrigin, earlier: Earlier | undefined) {
    this.#deps = deps;
    this.#origin = origin;
    this.#earlier = earlier;
    const { db, buffers, clock } = deps;
    this.#writer = new ChunkWriter({ db, buffers, expiresAt: () => new Date(clock().getTime() + incomingMs) });
  }

  /** The number of received files. */
  get count(): number {
    return this.#files.length;
  }

  /**
   * Receives a file as fast as the database writes.
   * @throws UploadRefusal above a limit; the rest of the request is not read
   */
  async addFile(sentName: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    const { files, fileBytes } = this.#deps.limits;
    if (this.#files.length >= files) throw new UploadRefusal('TOO_LARGE', `At most ${files} files an upload.`);
    const content = freshId(this.#deps.clock());
    const hash = createHash('sha256');
    let sample: Buffer = Buffer.alloc(0);
    this.#writer.begin(content);
    let held = this.#earlier ? undefined : this.#hold();
    let size = 0;
    for await (const piece of bytes) {
      if (size < sampleBytes) sample = size === 0 ? piece : Buffer.concat([sample, piece]);
      size += piece.length;
      if (size > fileBytes) throw tooLarge('A file', fileBytes);
      this.#count(piece, hash);
      if (held?.add(piece) || this.#earlier) continue;
      await this.#saveHeld(held);
      held = undefined;
      await this.#writer.write(piece);
    }
    const name = fileName(sentName);
    const mime = await detectType(sample.subarray(0, sampleBytes), name);
    this.#files.push({ content, sentName, name, mime, size, sha256: hash.digest(), held });
  }

  /**
   * Creates assets of the received files and returns their ids, in the order of the files. `types` are MIME types
   * (`type/subtype`) by file name, which override the detected ones.
   * @throws UploadRefusal where the key belongs to other bytes
   */
  async finish(types: ReadonlyMap<string, string>): Promise<string[]> {
    const digest = this.#digest();
    if (this.#earlier) return this.#repeat(this.#earlier, digest);
    const objects = await this.#storeObjects();
    const rest = await this.#writer.rest();
    const ids = this.#files.map(() => formatAssetId(randomBytes(assetIdBytes)));
    try {
      await this.#deps.commit((tx) => this.#write(tx, { ids, digest, types, rest, objects }));
    } catch (error) {
      if (!(error instanceof KeyInUse)) throw error;
      const earlier = await findEarlier(this.#deps.db, this.#origin);
      if (!earlier) throw new Error('another request has released the key meanwhile', { cause: error });
      return this.#repeat(earlier, digest);
    }
    this.#deps.arrived?.(this.#files.reduce((sum, { size }) => sum + size, 0));
    await this.#close();
    return ids;
  }

  /** Deletes a failed upload. */
  async abandon(): Promise<void> {
    await this.#close();
    await this.#writer.drop();
  }

  async #close(): Promise<void> {
    for (const held of this.#held) held.release();
    this.#held.clear();
    await this.#writer.close();
  }

  #hold(): HeldFile | undefined {
    const held = this.#deps.objects?.hold();
    if (held) this.#held.add(held);
    return held;
  }

  /** Saves the bytes of the present file as rows. */
  async #saveHeld(held: HeldFile | undefined): Promise<void> {
    if (!held) return;
    await this.#writer.write(held.bytes);
    held.release();
    this.#held.delete(held);
  }

  /** Stores the held files, and saves those as rows that the store does not take. Returns keys by content. */
  async #storeObjects(): Promise<ReadonlyMap<string, string>> {
    const keys = new Map<string, string>();
    for (const { content, held, size } of this.#files) {
      if (!held || size === 0) continue;
      const key = await this.#deps.objects?.store(held.bytes);
      if (key !== undefined) keys.set(content, key);
      else {
        this.#writer.begin(content);
        await this.#saveHeld(held);
      }
    }
    return keys;
  }

  async #write(tx: Tx, { ids, digest, types, rest, objects }: Ended): Promise<void> {
    const { caller, key } = this.#origin;
    const now = this.#deps.clock();
    const { saved } = this.#writer;
    // All at once: none needs the answer of another.
    const [keys, ended] = await Promise.all([
      key === undefined ? undefined : tx.query(insertUploadKey, [caller, key, digest, ids[0], now]),
      saved.length === 0 ? undefined : tx.query(endIntake, [uuidArray(saved)]),
      tx.query(insertAssets, [ids[0], now, ...insertAssets.parameters(this.#stored(ids, types, objects))]),
      ...rest.map((chunk) => tx.query(insertChunk, [...chunk])),
    ]);
    if (ended && ended.rowCount !== saved.length) throw new Error('an upload took so long that it was swept');
    if (keys?.rowCount === 0) throw new KeyInUse();
  }

  #count(piece: Buffer, hash: Hash): void {
    const { requestBytes } = this.#deps.limits;
    this.#bytes += piece.length;
    if (this.#bytes > requestBytes) throw tooLarge('A request', requestBytes);
    hash.update(piece);
  }

  async #repeat({ digest, batch }: Earlier, own: Buffer): Promise<string[]> {
    await this.abandon();
    if (!digest.equals(own))
      throw new UploadRefusal('IDEMPOTENCY_KEY_REUSED', 'The key was used before for other bytes.');
    return (await findUploadFiles(this.#deps.db, batch)).map(({ id }) => id);
  }

  /** The digest of the bytes of all files in order; names and types may differ in a repetition. */
  #digest(): Buffer {
    return createHash('sha256')
      .update(Buffer.concat(this.#files.map(({ sha256 }) => sha256)))
      .digest();
  }

  #stored(
    ids: readonly string[],
    types: ReadonlyMap<string, string>,
    objects: ReadonlyMap<string, string>,
  ): StoredFile[] {
    return ids.flatMap((id, index) => {
      const file = this.#files[index];
      if (!file) return [];
      const { content, sentName, name, size, sha256, mime } = file;
      const type = types.get(sentName) ?? types.get(name) ?? mime;
      return [{ id, seq: index + 1, content, name, mime: type, size, sha256, object: objects.get(content) ?? null }];
    });
  }
}

/** A complete upload. */
interface Ended {
  readonly ids: readonly string[];
  readonly digest: Buffer;
  readonly types: ReadonlyMap<string, string>;
  /** Unsaved chunks, as parameters of `insertChunk`. */
  readonly rest: ChunkBuffer['chunks'];
  /** Keys of objects by content. */
  readonly objects: ReadonlyMap<string, string>;
}

/** A concurrent request with the same key was faster: rolls back. */
class KeyInUse extends Error {}

async function findEarlier(db: Queryable, { caller, key }: UploadOrigin): Promise<Earlier | undefined> {
  if (key === undefined) return undefined;
  const { rows } = await db.query<{ digest: Buffer; batch: string }>(findUploadKey, [caller, key]);
  return rows[0];
}

export const tooLarge = (what: string, bytes: number): UploadRefusal =>
  new UploadRefusal('TOO_LARGE', `${what} may have at most ${bytes / 1024 / 1024} MiB.`);
