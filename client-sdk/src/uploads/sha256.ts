import { hexOf } from './asset-id.ts';

/** A SHA-256 over pieces of bytes; Node's `createHash('sha256')` is one. */
export interface Sha256 {
  update(bytes: Uint8Array<ArrayBuffer>): unknown;
  /** The 32 bytes; called once, at the end. */
  digest(): Uint8Array | Promise<Uint8Array>;
}

/** WebCrypto's hash where available, which needs all bytes at once; else the slower script below. */
export const platformSha256 = (): Sha256 => (globalThis.crypto?.subtle ? new WebCryptoSha256() : new ScriptSha256());

/** The SHA-256 of a text in UTF-8, as lower-case hexadecimal: at once, where WebCrypto would answer later. */
export function sha256Hex(text: string): string {
  const hash = new ScriptSha256();
  hash.update(new TextEncoder().encode(text));
  return hexOf(hash.digest());
}

class WebCryptoSha256 implements Sha256 {
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];

  update(bytes: Uint8Array<ArrayBuffer>): void {
    this.#pieces.push(bytes);
  }

  async digest(): Promise<Uint8Array> {
    return new Uint8Array(await crypto.subtle.digest('SHA-256', joined(this.#pieces)));
  }
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

const blockBytes = 64;

/** FIPS 180-4, section 6.2, for platforms without WebCrypto. */
export class ScriptSha256 implements Sha256 {
  readonly #state = Int32Array.from(initial);
  readonly #block = new Uint8Array(blockBytes);
  readonly #words = new Int32Array(constants.length);
  #length = 0;

  update(bytes: Uint8Array): void {
    const filled = this.#length % blockBytes;
    this.#length += bytes.length;
    let at = 0;
    if (filled > 0) {
      at = Math.min(blockBytes - filled, bytes.length);
      this.#block.set(bytes.subarray(0, at), filled);
      if (filled + at < blockBytes) return;
      this.#take(this.#block, 0);
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) this.#take(bytes, at);
    this.#block.set(bytes.subarray(at));
  }

  digest(): Uint8Array {
    const bits = this.#length * 8;
    // One bit, zeros up to the last eight bytes of a block, and the length in bits.
    const zeros = (2 * blockBytes - 9 - (this.#length % blockBytes)) % blockBytes;
    const end = new Uint8Array(1 + zeros + 8);
    end[0] = 0x80;
    new DataView(end.buffer).setUint32(zeros + 1, Math.floor(bits / 2 ** 32));
    new DataView(end.buffer).setUint32(zeros + 5, bits % 2 ** 32);
    this.update(end);
    const digest = new DataView(new ArrayBuffer(32));
    for (const [i, word] of this.#state.entries()) digest.setInt32(4 * i, word);
    return new Uint8Array(digest.buffer);
  }

  /**
   * One block. An interpreter runs this about ten thousand times per megabyte, so the rotations are inlined. The
   * indexes are within their arrays, which the type checker cannot verify.
   */
  #take(block: Uint8Array, at: number): void {
    const words = this.#words;
    for (let i = 0, j = at; i < 16; i++, j += 4)
      words[i] =
        ((block[j] ?? 0) << 24) | ((block[j + 1] ?? 0) << 16) | ((block[j + 2] ?? 0) << 8) | (block[j + 3] ?? 0);
    for (let i = 16; i < 64; i++) {
      const x = words[i - 15] ?? 0;
      const y = words[i - 2] ?? 0;
      words[i] =
        (words[i - 16] ?? 0) +
        (((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)) +
        (words[i - 7] ?? 0) +
        (((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10));
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = this.#state;
    for (let i = 0; i < 64; i++) {
      const first =
        h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        (g ^ (e & (f ^ g))) +
        (constants[i] ?? 0) +
        (words[i] ?? 0);
      const second =
        (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) + ((a & b) | (c & (a | b)));
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) this.#state[i] = (this.#state[i] ?? 0) + word;
  }
}

/** The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
const initial = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/** The same of the cube roots of the first 64 primes. */
const constants = Int32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);
