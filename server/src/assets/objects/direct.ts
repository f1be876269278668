import { freshId } from '../../stops/mutation-id.ts';
import type { Log } from '../../runtime/log.ts';
import type { ObjectStore } from '../../object-store/object-store.ts';

/** The largest file that memory holds until its object is stored; larger ones pass through rows. */
export const maxHeldBytes = 5 * 1024 * 1024;
/** For all uploads of the process. Above it files pass through rows. */
const maxTotalBytes = 64 * 1024 * 1024;
/** After a failure files pass through rows for this long, so that no driver waits for a store that is away. */
const restMs = 30_000;

export interface DirectOptions {
  readonly store: ObjectStore;
  /** The beginning of every key, with a slash at its end. */
  readonly prefix: string;
  readonly clock: () => Date;
  readonly log: Log;
}

/**
 * Stores small files as objects before any row names them. If the store fails or memory is short, the caller saves the
 * bytes as rows, and they move later (`move.ts`): an upload never fails because of the store.
 */
export class DirectObjects {
  readonly #options: DirectOptions;
  #held = 0;
  #restsUntil = 0;

  constructor(options: DirectOptions) {
    this.#options = options;
  }

  /** Begins to hold a file in memory; undefined while the store is away. */
  hold(): HeldFile | undefined {
    if (this.#options.clock().getTime() < this.#restsUntil) return undefined;
    return new HeldFile({
      reserve: (bytes) => {
        if (this.#held + bytes > maxTotalBytes) return false;
        this.#held += bytes;
        return true;
      },
      release: (bytes) => void (this.#held -= bytes),
    });
  }

  /** @returns the key of the object; undefined where the store fails */
  async store(bytes: Buffer): Promise<string | undefined> {
    const { store, prefix, clock, log } = this.#options;
    const key = `${prefix}${freshId(clock())}`;
    try {
      await store.put(key, bytes);
      return key;
    } catch (err) {
      this.#restsUntil = clock().getTime() + restMs;
      log.warn({ err }, 'the object store takes no files: they go into the database and move later');
      return undefined;
    }
  }
}

interface Memory {
  readonly reserve: (bytes: number) => boolean;
  readonly release: (bytes: number) => void;
}

/** The bytes of a file that is coming. Every holder ends with `release`. */
export class HeldFile {
  readonly #memory: Memory;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  /** @returns false where the file is too large or memory is short; the piece is then not held */
  add(piece: Buffer): boolean {
    if (this.#size + piece.length > maxHeldBytes || !this.#memory.reserve(piece.length)) return false;
    this.#pieces.push(piece);
    this.#size += piece.length;
    return true;
  }

  release(): void {
    this.#memory.release(this.#size);
    this.#pieces = [];
    this.#size = 0;
  }
}
