/**
 * Large enough that a row costs little beside its bytes (64 KiB and 256 KiB wrote equally fast, 16 kB a third slower),
 * small enough that whoever reads holds little. Readers rely on it (decision 12).
 */
const chunkBytes = 256 * 1024;
/** Chunks that leave together; a phone's photo fits, and is written with the commit that makes an asset of it. */
const trayBytes = 2 * chunkBytes;
const smallTrayBytes = 32 * 1024;
/** Of all uploads of the process. Beyond, trays are small: many slow senders hold little each. */
const mostBytes = 64 * 1024 * 1024;
const mostSpare = 8;

/** Where on a tray the bytes of a content from `at` lie. */
interface Chunk {
  readonly content: string;
  readonly at: number;
  readonly start: number;
  end: number;
}

/** Chunks on their way into the database, in memory that is used again: what streams through leaves no buffers behind. */
export class ChunkBuffer {
  readonly #memory: Buffer;
  #chunks: Chunk[] = [];
  #end = 0;

  constructor(capacity: number) {
    this.#memory = Buffer.allocUnsafeSlow(capacity);
  }

  get capacity(): number {
    return this.#memory.length;
  }

  /** Puts on what fits of a content's bytes from `at`, and says how much that was. */
  add(content: string, at: number, bytes: Buffer): number {
    let taken = 0;
    while (taken < bytes.length && this.#end < this.capacity) {
      const chunk = this.#chunkAt(content, at + taken);
      const most = chunkBytes - (chunk.end - chunk.start);
      const added = bytes.copy(this.#memory, chunk.end, taken, Math.min(bytes.length, taken + most));
      chunk.end += added;
      this.#end += added;
      taken += added;
    }
    return taken;
  }

  /** Each chunk as parameters: its content, its place there, its bytes. They lie in this tray's memory. */
  get chunks(): (readonly [content: string, at: number, bytes: Buffer])[] {
    return this.#chunks.map(({ content, at, start, end }) => [content, at, this.#memory.subarray(start, end)]);
  }

  clear(): void {
    this.#chunks = [];
    this.#end = 0;
  }

  /** The chunk that goes on at this place, or a new one. */
  #chunkAt(content: string, at: number): Chunk {
    const last = this.#chunks.at(-1);
    if (last?.content === content && last.end - last.start < chunkBytes) return last;
    const chunk = { content, at, start: this.#end, end: this.#end };
    this.#chunks.push(chunk);
    return chunk;
  }
}

/** The trays of a process, lent to its uploads. */
export class BufferPool {
  readonly #spare: ChunkBuffer[] = [];
  #lentBytes = 0;

  lend(): ChunkBuffer {
    const buffer =
      this.#lentBytes < mostBytes ? (this.#spare.pop() ?? new ChunkBuffer(trayBytes)) : new ChunkBuffer(smallTrayBytes);
    this.#lentBytes += buffer.capacity;
    return buffer;
  }

  takeBack(buffer: ChunkBuffer): void {
    this.#lentBytes -= buffer.capacity;
    buffer.clear();
    if (buffer.capacity === trayBytes && this.#spare.length < mostSpare) this.#spare.push(buffer);
  }
}
