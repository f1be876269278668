import { Fault } from '../fault.ts';

const nothing = new Uint8Array(0);

/** Reads a stream of bytes from front to back, and holds one part of it. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #part: Uint8Array = nothing;
  /** Bytes that are read. */
  offset = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Reads a few bytes: those of a header. */
  async take(length: number): Promise<Uint8Array> {
    const taken = new Uint8Array(length);
    let at = 0;
    await this.pass(length, (bytes) => {
      taken.set(bytes, at);
      at += bytes.length;
    });
    return taken;
  }

  /** Hands many bytes on, part by part. */
  async pass(length: number, sink: (bytes: Uint8Array) => void): Promise<void> {
    for (let left = length; left > 0;) {
      if (!(await this.#hasMore())) throw new Fault('cut-off', String(this.offset));
      const bytes = this.#part.subarray(0, left);
      this.#part = this.#part.subarray(bytes.length);
      this.offset += bytes.length;
      left -= bytes.length;
      sink(bytes);
    }
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#hasMore());
  }

  async #hasMore(): Promise<boolean> {
    while (this.#part.length === 0) {
      const step = await this.#source.next();
      if (step.done === true) return false;
      this.#part = step.value;
    }
    return true;
  }

  /** Releases the source. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
