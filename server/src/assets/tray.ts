import { ByteaArrayBuffer, int8Array, uuidArray } from '../db/arrays.ts';

/**
 * Large enough that a row costs little beside its bytes (64 KiB and 256 KiB wrote equally fast, 16 kB a third slower),
 * small enough that whoever reads holds little. Readers rely on it (0004).
 */
const chunkBytes = 256 * 1024;
/** Chunks of one statement; a phone's photo fits, and is written with the commit that makes an asset of it. */
const trayBytes = 2 * chunkBytes + 64;
const smallTrayBytes = 32 * 1024;
/** Of all uploads of the process. Beyond, trays are small: many slow senders hold little each. */
const mostBytes = 64 * 1024 * 1024;
const mostSpare = 8;

interface Chunk {
  readonly content: string;
  readonly at: number;
  length: number;
}

/** Chunks on their way into the database, side by side as their statement takes them. */
export class Tray {
  readonly capacity: number;
  readonly #bytes: ByteaArrayBuffer;
  #chunks: Chunk[] = [];

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#bytes = new ByteaArrayBuffer(capacity);
  }

  /** Puts on what fits of a content's bytes from `at`, and says how much that was. */
  add(content: string, at: number, bytes: Buffer): number {
    let taken = 0;
    while (taken < bytes.length) {
      const chunk = this.#chunkAt(content, at + taken);
      if (!chunk) break;
      const added = this.#bytes.append(bytes.subarray(taken, taken + chunkBytes - chunk.length));
      if (added === 0) break;
      chunk.length += added;
      taken += added;
    }
    return taken;
  }

  /** How far each content has come with this tray. */
  get ends(): ReadonlyMap<string, number> {
    return new Map(this.#chunks.map(({ content, at, length }) => [content, at + length]));
  }

  /** Contents, places and bytes of the chunks: three arrays as parameters. */
  get values(): unknown[] {
    return [
      uuidArray(this.#chunks.map(({ content }) => content)),
      int8Array(this.#chunks.map(({ at }) => at)),
      this.#bytes.value,
    ];
  }

  clear(): void {
    this.#bytes.clear();
    this.#chunks = [];
  }

  /** The chunk that goes on at this place, or a new one; none where the tray is full. */
  #chunkAt(content: string, at: number): Chunk | undefined {
    const last = this.#chunks.at(-1);
    if (last?.content === content && last.length < chunkBytes) return last;
    if (!this.#bytes.begin()) return undefined;
    const chunk = { content, at, length: 0 };
    this.#chunks.push(chunk);
    return chunk;
  }
}

/** The trays of a process, lent to its uploads. */
export class Trays {
  readonly #spare: Tray[] = [];
  #lentBytes = 0;

  lend(): Tray {
    const tray = this.#lentBytes < mostBytes ? (this.#spare.pop() ?? new Tray(trayBytes)) : new Tray(smallTrayBytes);
    this.#lentBytes += tray.capacity;
    return tray;
  }

  takeBack(tray: Tray): void {
    this.#lentBytes -= tray.capacity;
    tray.clear();
    if (tray.capacity === trayBytes && this.#spare.length < mostSpare) this.#spare.push(tray);
  }
}
