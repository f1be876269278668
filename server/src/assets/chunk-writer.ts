import { byteaArray, int8Array, uuidArray } from '../db/arrays.ts';
import type { Queryable } from '../db/types.ts';
import { dropIncoming, insertChunks, saveIncoming } from './sql.ts';

/**
 * Large enough that a row costs little beside its bytes (64 KiB and 256 KiB wrote equally fast, 16 kB a third slower),
 * small enough that whoever reads holds little. The reader's bound (0004) too.
 */
export const chunkBytes = 256 * 1024;
/** A phone's photo fits: it is written together with the commit that makes an asset of it. */
const saveAt = 2 * chunkBytes;
/** Unsaved bytes of all uploads of this process. Beyond, chunks go to the database before they are full. */
const mostUnsaved = 64 * 1024 * 1024;
/** Less is not worth a statement, however many upload. */
const leastSaved = 16 * 1024;

/** How many bytes uploads hold in memory, all together. */
export interface Tally {
  unsaved: number;
}

interface Chunk {
  readonly content: string;
  readonly at: number;
  readonly bytes: Buffer;
}

export interface ChunkWriterOptions {
  readonly db: Queryable;
  readonly tally: Tally;
  /** When the sweep may take what is saved from now on. */
  readonly expiresAt: () => Date;
}

/**
 * Cuts what comes in into chunks and saves them while more comes in: one statement under way, one's worth collected,
 * and whoever writes faster waits. So an upload costs a megabyte of memory, whatever it weighs, and holds no connection
 * while its sender is slow.
 */
export class ChunkWriter {
  readonly #options: ChunkWriterOptions;
  /** Of the content that is coming: bytes that are in no chunk yet, and where they begin. */
  #content = '';
  #pieces: Buffer[] = [];
  #loose = 0;
  #at = 0;
  #chunks: Chunk[] = [];
  /** Bytes in chunks and pieces, without what is under way. */
  #collected = 0;
  #saving: Promise<unknown> = Promise.resolve();
  readonly #saved = new Set<string>();

  constructor(options: ChunkWriterOptions) {
    this.#options = options;
  }

  /** Contents that have rows already; the others are all in `rest()`. */
  get saved(): readonly string[] {
    return [...this.#saved];
  }

  /** From here on, bytes belong to this content. */
  begin(content: string): void {
    this.#cut();
    this.#content = content;
    this.#at = 0;
  }

  async write(bytes: Buffer): Promise<void> {
    this.#collected += bytes.length;
    this.#options.tally.unsaved += bytes.length;
    let rest = bytes;
    while (this.#loose + rest.length >= chunkBytes) {
      const room = chunkBytes - this.#loose;
      this.#collect(rest.subarray(0, room));
      this.#cut();
      rest = rest.subarray(room);
    }
    this.#collect(rest);
    const crowded = this.#options.tally.unsaved > mostUnsaved && this.#collected > leastSaved;
    if (crowded) this.#cut();
    if (crowded || this.#collected >= saveAt) await this.#save();
  }

  /** Waits for what is under way and gives what is still to be written, as parameters of `insertChunks`. */
  async rest(): Promise<{ statement: typeof insertChunks; values: unknown[] } | undefined> {
    this.#cut();
    await this.#saving;
    const chunks = this.#chunks;
    return chunks.length === 0 ? undefined : { statement: insertChunks, values: columns(chunks) };
  }

  /** Lets go of what is in memory; the end of every writer. */
  async close(): Promise<void> {
    await this.#saving.catch(() => undefined);
    this.#options.tally.unsaved -= this.#collected;
    this.#collected = 0;
    this.#chunks = [];
    this.#pieces = [];
  }

  /** Takes back what was saved. What a broken connection leaves, the sweep finds. */
  async drop(): Promise<void> {
    await this.#saving.catch(() => undefined);
    if (this.#saved.size > 0) await this.#options.db.query(dropIncoming, [uuidArray(this.saved)]);
  }

  async #save(): Promise<void> {
    const chunks = this.#chunks;
    this.#chunks = [];
    const size = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.#collected -= size;
    const values = [...columns(chunks), ...this.#standings(chunks), this.#options.expiresAt()];
    await this.#saving;
    const { db, tally } = this.#options;
    this.#saving = db.query(saveIncoming, values).finally(() => (tally.unsaved -= size));
    // Whoever writes next, or ends, hears of it; until then it is nobody's.
    this.#saving.catch(() => undefined);
  }

  /** How far each content has come with these chunks. */
  #standings(chunks: readonly Chunk[]): unknown[] {
    const ends = new Map(chunks.map(({ content, at, bytes }) => [content, at + bytes.length]));
    for (const content of ends.keys()) this.#saved.add(content);
    return [uuidArray([...ends.keys()]), int8Array([...ends.values()])];
  }

  #collect(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#loose += bytes.length;
  }

  #cut(): void {
    if (this.#loose === 0) return;
    this.#chunks.push({ content: this.#content, at: this.#at, bytes: Buffer.concat(this.#pieces, this.#loose) });
    this.#at += this.#loose;
    this.#pieces = [];
    this.#loose = 0;
  }
}

const columns = (chunks: readonly Chunk[]): unknown[] => [
  uuidArray(chunks.map(({ content }) => content)),
  int8Array(chunks.map(({ at }) => at)),
  byteaArray(chunks.map(({ bytes }) => bytes)),
];
