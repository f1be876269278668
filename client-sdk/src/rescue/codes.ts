type Bytes = Uint8Array<ArrayBuffer>;

/** `TGR1:CHAIN:INDEX/COUNT:DATA`; CHAIN names the parcel, DATA is base64url. */
const codeForm = /^TGR1:([A-Za-z0-9_-]{6}):(\d{1,4})\/(\d{1,4}):([A-Za-z0-9_-]+)$/;
/** Bytes in one code: a QR code of this size is read from a scratched screen at arm's length. */
const defaultBytes = 300;
/** A chain that is longer than this takes minutes to film: share the parcel as a file. */
const maxCodes = 200;

/**
 * Splits a parcel into the texts of a chain of QR codes, to be shown one after the other, again and again.
 *
 * @throws RangeError for a parcel that needs more than 200 codes
 */
export function codesOf(parcel: Bytes, bytesPerCode = defaultBytes): string[] {
  const count = Math.ceil(parcel.length / bytesPerCode);
  if (count > maxCodes) throw new RangeError(`the parcel needs ${count} codes: share it as a file`);
  // The salt is random: its place in the parcel names it.
  const chain = toBase64(parcel.slice(4, 10)).slice(0, 6);
  return Array.from({ length: count }, (_, i) => {
    const piece = parcel.slice(i * bytesPerCode, (i + 1) * bytesPerCode);
    return `TGR1:${chain}:${i + 1}/${count}:${toBase64(piece)}`;
  });
}

/** The number of codes of a chain that a reader has, and their total. */
export interface ChainProgress {
  readonly have: number;
  readonly of: number;
  /** The numbers that are missing, from 1. */
  readonly missing: readonly number[];
}

/** Collects a chain of codes, in any order and with any repetitions. A code of another chain begins anew. */
export class CodeReader {
  #chain = '';
  #count = 0;
  readonly #pieces = new Map<number, Bytes>();

  /** @returns undefined for a text that is no code of a chain */
  add(code: string): ChainProgress | undefined {
    const [, chain = '', index = '', count = '', data = ''] = codeForm.exec(code.trim()) ?? [];
    const [number, total] = [Number(index), Number(count)];
    // A length that base64 cannot have: the camera has read a part.
    if (number < 1 || number > total || data.length % 4 === 1) return undefined;
    if (chain !== this.#chain || total !== this.#count) this.#pieces.clear();
    this.#chain = chain;
    this.#count = total;
    this.#pieces.set(number, fromBase64(data));
    const numbers = Array.from({ length: total }, (_, i) => i + 1);
    return { have: this.#pieces.size, of: total, missing: numbers.filter((each) => !this.#pieces.has(each)) };
  }

  /** The parcel for `unpackQueues`; undefined while codes are missing. */
  get parcel(): Bytes | undefined {
    if (this.#count === 0 || this.#pieces.size < this.#count) return undefined;
    const pieces = [...this.#pieces].sort(([a], [b]) => a - b).flatMap(([, piece]) => [...piece]);
    return new Uint8Array(pieces);
  }
}

const toBase64 = (bytes: Bytes): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const fromBase64 = (text: string): Bytes =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
