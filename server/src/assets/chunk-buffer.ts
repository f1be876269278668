/**
 * A larger chunk saves little (64 KiB and 256 KiB wrote equally fast, 16 kB a third slower), and a smaller one limits
 * the memory of each reader. Readers rely on this size (decision 12).
 */
const chunkBytes = 256 * 1024;
/** Chunks of one write. A phone's photo fits, and is written with the commit that creates its asset. */
const bufferBytes = 2 * chunkBytes;
const smallBufferBytes = 32 * 1024;
/**
 * The memory limit of all uploads of the process. Above it buffers are small, so that many slow senders use little
 * each.
 */
const maxBytes = 64 * 1024 * 1024;
const maxSpare = 8;

/** The place in a buffer of a content's bytes from `at`. */
interface Chunk {
  readonly content: string;
  readonly at: number;
  readonly start: number;
  end: number;
}

/** Chunks on their way into the database, in reused memory: a stream leaves no buffers to the collector. */
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

  /** Adds the bytes of a content from `at` that fit, and returns their count. */
  add(content: string, at: number, bytes: Buffer): number {
    let taken = 0;
    while (taken < bytes.length && this.#end < this.capacity) {
      const chunk = this.#chunkAt(content, at + taken);
      const max = chunkBytes - (chunk.end - chunk.start);
      const added = bytes.copy(this.#memory, chunk.end, taken, Math.min(bytes.length, taken + max));
      chunk.end += added;
      this.#end += added;
      taken += added;
    }
    return taken;
  }

  /** Each chunk as parameters: its content, its place, its bytes. The bytes are in this buffer's memory. */
  get chunks(): (readonly [content: string, at: number, bytes: Buffer])[] {
    return this.#chunks.map(({ content, at, start, end }) => [content, at, this.#memory.subarray(start, end)]);
  }

  clear(): void {
    this.#chunks = [];
    this.#end = 0;
  }

  /** The chunk that continues at this place, or a new one. */
  #chunkAt(content: string, at: number): Chunk {
    const last = this.#chunks.at(-1);
    if (last?.content === content && last.end - last.start < chunkBytes) return last;
    const chunk = { content, at, start: this.#end, end: this.#end };
    this.#chunks.push(chunk);
    return chunk;
  }
}

/** The buffers of a process, lent to its uploads. */
export class BufferPool {
  readonly #spare: ChunkBuffer[] = [];
  #lentBytes = 0;

  acquire(): ChunkBuffer {
    const buffer =
      this.#lentBytes < maxBytes
        ? (this.#spare.pop() ?? new ChunkBuffer(bufferBytes))
        : new ChunkBuffer(smallBufferBytes);
    this.#lentBytes += buffer.capacity;
    return buffer;
  }

  release(buffer: ChunkBuffer): void {
    this.#lentBytes -= buffer.capacity;
    buffer.clear();
    if (buffer.capacity === bufferBytes && this.#spare.length < maxSpare) this.#spare.push(buffer);
  }
}
