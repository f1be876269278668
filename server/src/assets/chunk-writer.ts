import { uuidArray } from '../db/arrays.ts';
import { withoutFlush } from '../db/without-flush.ts';
import type { Db, Statement } from '../db/types.ts';
import { dropIncoming, saveIncoming } from './sql.ts';
import type { ChunkBuffer, BufferPool } from './chunk-buffer.ts';

export interface ChunkWriterOptions {
  readonly db: Db;
  readonly buffers: BufferPool;
  /** When the bytes saved from now on expire. */
  readonly expiresAt: () => Date;
}

/**
 * Saves bytes while more arrive: one buffer is being written and one filled, and a faster sender waits. So an upload of
 * any size costs a megabyte of memory, and occupies no connection while its sender is slow.
 */
export class ChunkWriter {
  readonly #options: ChunkWriterOptions;
  #content = '';
  #at = 0;
  #buffer: ChunkBuffer | undefined;
  #saving: Promise<unknown> = Promise.resolve();
  readonly #saved = new Set<string>();

  constructor(options: ChunkWriterOptions) {
    this.#options = options;
  }

  /** Contents that have rows; other contents are in the last buffer only. */
  get saved(): readonly string[] {
    return [...this.#saved];
  }

  /** Assigns the following bytes to this content. */
  begin(content: string): void {
    this.#content = content;
    this.#at = 0;
  }

  async write(bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      this.#buffer ??= this.#options.buffers.acquire();
      const added = this.#buffer.add(this.#content, this.#at, bytes.subarray(written));
      this.#at += added;
      written += added;
      if (written < bytes.length) await this.#save(this.#buffer);
    }
  }

  /** Waits for the running write and returns the unsaved chunks, as parameters of `insertChunk`. */
  async rest(): Promise<ChunkBuffer['chunks']> {
    await this.#saving;
    return this.#buffer?.chunks ?? [];
  }

  /** Releases its memory. Every writer ends with this call. */
  async close(): Promise<void> {
    await this.#saving.catch(() => undefined);
    if (this.#buffer) this.#options.buffers.release(this.#buffer);
    this.#buffer = undefined;
  }

  /** Deletes the saved chunks. After a broken connection the sweep deletes them. */
  async drop(): Promise<void> {
    await this.#saving.catch(() => undefined);
    if (this.#saved.size > 0) await this.#options.db.query(dropIncoming, [uuidArray(this.saved)]);
  }

  async #save(buffer: ChunkBuffer): Promise<void> {
    await this.#saving;
    this.#buffer = undefined;
    const { db, buffers, expiresAt } = this.#options;
    const expires = expiresAt();
    for (const [content] of buffer.chunks) this.#saved.add(content);
    const writes = buffer.chunks.map((chunk): [Statement, unknown[]] => [saveIncoming, [...chunk, expires]]);
    // All writes end before the buffer's memory is lent again, with or without errors.
    this.#saving = withoutFlush(db, writes).finally(() => buffers.release(buffer));
    // The next write, or the end, throws this error. Until then it has no receiver.
    this.#saving.catch(() => undefined);
  }
}
