import { createCipheriv, createHash } from 'node:crypto';

/** Incompressible bytes, the same in every run. */
export class TestBytes {
  readonly #stream;

  constructor(seed: string) {
    this.#stream = createCipheriv(
      'aes-128-ctr',
      createHash('sha256').update(seed).digest().subarray(0, 16),
      Buffer.alloc(16),
    );
  }

  take(size: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#stream.update(Buffer.alloc(size)));
  }
}
