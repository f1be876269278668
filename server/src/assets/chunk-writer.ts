import { uuidArray } from '../db/arrays.ts';
import type { Queryable } from '../db/types.ts';
import { dropIncoming, saveIncoming } from './sql.ts';
import type { ChunkBuffer, BufferPool } from './chunk-buffer.ts';

export interface ChunkWriterOptions {
  readonly db: Queryable;
  readonly buffers: BufferPool;
  /** When the sweep may take what is saved from now on. */
  readonly expiresAt: () => Date;
}

/**
 * Saves what comes in while more comes in: one tray under way, one being filled, and whoever sends faster waits. So an
 * upload costs a megabyte of memory, whatever it weighs, and holds no connection while its sender is slow.
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

  /** Contents that have rows already; what there is of others lies on the last tray. */
  get saved(): readonly string[] {
    return [...this.#saved];
  }

  /** From here on, bytes belong to this content. */
  begin(content: string): void {
    this.#content = content;
    this.#at = 0;
  }

  async write(bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      this.#buffer ??= this.#options.buffers.lend();
      const added = this.#buffer.add(this.#content, this.#at, bytes.subarray(written));
      this.#at += added;
      written += added;
      if (written < bytes.length) await this.#save(this.#buffer);
    }
  }

  /** Waits for what is under way and gives what is still to be written, as parameters of `insertChunk`. */
  async rest(): Promise<ChunkBuffer['chunks']> {
    await this.#saving;
    return this.#buffer?.chunks ?? [];
  }

  /** Gives its memory back; the end of every writer. */
  async close(): Promise<void> {
    await this.#saving.catch(() => undefined);
    if (this.#buffer) this.#options.buffers.takeBack(this.#buffer);
    this.#buffer = undefined;
  }

  /** Takes back what was saved. What a broken connection leaves, the sweep finds. */
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
    // All of them have ended before the tray's memory is anybody else's, whatever becomes of one.
    const saves = buffer.chunks.map((chunk) => db.query(saveIncoming, [...chunk, expires]));
    this.#saving = Promise.allSettled(saves)
      .finally(() => buffers.takeBack(buffer))
      .then(() => Promise.all(saves));
    // Whoever writes next, or ends, hears of it; until then it is nobody's.
    this.#saving.catch(() => undefined);
  }
}
