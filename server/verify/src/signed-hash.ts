import type { Hash, Hashing } from './hashing.ts';

/** The signature of a document and what follows it have fewer bytes: 100,000 objects. */
const mostEnd = 4 * 1024 ** 2;

/** Hashes a document but for a part near its end that is known only then. */
export class SignedHash {
  readonly #hash: Hash;
  /** The last bytes, which are not hashed yet. */
  readonly #parts: Uint8Array[] = [];
  #held = 0;
  #size = 0;

  constructor(hashing: Hashing) {
    this.#hash = hashing();
  }

  add(bytes: Uint8Array): void {
    this.#size += bytes.length;
    this.#held += bytes.length;
    this.#parts.push(bytes.slice());
    for (let first = this.#parts[0]; first && this.#held - first.length >= mostEnd; first = this.#parts[0]) {
      this.#parts.shift();
      this.#held -= first.length;
      this.#hash.update(first);
    }
  }

  /**
   * SHA-256 of all bytes but those from `holeAt` to `holeEnd`, in hexadecimal; undefined where they begin too early.
   * Called once.
   */
  async without({
    holeAt,
    holeEnd,
  }: {
    readonly holeAt: number;
    readonly holeEnd: number;
  }): Promise<string | undefined> {
    let at = this.#size - this.#held;
    if (holeAt < at) return undefined;
    for (const part of this.#parts) {
      const before = part.subarray(0, Math.max(0, Math.min(part.length, holeAt - at)));
      const behind = part.subarray(Math.max(0, Math.min(part.length, holeEnd - at)));
      this.#hash.update(before);
      this.#hash.update(behind);
      at += part.length;
    }
    return this.#hash.digest();
  }
}
