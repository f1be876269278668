import { uuidArray } from '../db/arrays.ts';
import type { Queryable } from '../db/types.ts';
import { dropIncoming, saveIncoming } from './sql.ts';
import type { Tray, Trays } from './tray.ts';

export interface ChunkWriterOptions {
  readonly db: Queryable;
  readonly trays: Trays;
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
  #tray: Tray | undefined;
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
      this.#tray ??= this.#options.trays.lend();
      const added = this.#tray.add(this.#content, this.#at, bytes.subarray(written));
      this.#at += added;
      written += added;
      if (written < bytes.length) await this.#save(this.#tray);
    }
  }

  /** Waits for what is under way and gives what is still to be written, as parameters of `insertChunk`. */
  async rest(): Promise<Tray['chunks']> {
    await this.#saving;
    return this.#tray?.chunks ?? [];
  }

  /** Gives its memory back; the end of every writer. */
  async close(): Promise<void> {
    await this.#saving.catch(() => undefined);
    if (this.#tray) this.#options.trays.takeBack(this.#tray);
    this.#tray = undefined;
  }

  /** Takes back what was saved. What a broken connection leaves, the sweep finds. */
  async drop(): Promise<void> {
    await this.#saving.catch(() => undefined);
    if (this.#saved.size > 0) await this.#options.db.query(dropIncoming, [uuidArray(this.saved)]);
  }

  async #save(tray: Tray): Promise<void> {
    await this.#saving;
    this.#tray = undefined;
    const { db, trays, expiresAt } = this.#options;
    const expires = expiresAt();
    for (const [content] of tray.chunks) this.#saved.add(content);
    // All of them have ended before the tray's memory is anybody else's, whatever becomes of one.
    const saves = tray.chunks.map((chunk) => db.query(saveIncoming, [...chunk, expires]));
    this.#saving = Promise.allSettled(saves)
      .finally(() => trays.takeBack(tray))
      .then(() => Promise.all(saves));
    // Whoever writes next, or ends, hears of it; until then it is nobody's.
    this.#saving.catch(() => undefined);
  }
}
