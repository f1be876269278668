import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

interface Loaded {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

/** A file of a page: read and compressed when somebody first asks, then kept. */
export class WebFile {
  readonly #type: string;
  readonly #read: () => Promise<Buffer>;
  #loaded: Promise<Loaded> | undefined;

  constructor(type: string, read: () => Promise<Buffer>) {
    this.#type = type;
    this.#read = read;
  }

  /** @param accepted the caller's Accept-Encoding */
  async answer(accepted: string | string[] | undefined) {
    this.#loaded ??= this.#load();
    const { plain, zipped, etag } = await this.#loaded;
    const zip = takesGzip(String(accepted ?? ''));
    return {
      etag: zip ? `"${etag}-gzip"` : `"${etag}"`,
      headers: { 'content-type': this.#type, vary: 'accept-encoding', ...(zip && { 'content-encoding': 'gzip' }) },
      bytes: zip ? zipped : plain,
    };
  }

  async #load(): Promise<Loaded> {
    const plain = await this.#read();
    const zipped = await promisify(gzip)(plain, { level: constants.Z_BEST_COMPRESSION });
    return { plain, zipped, etag: createHash('sha256').update(plain).digest('base64url').slice(0, 22) };
  }
}

/** Every browser and curl --compressed take gzip; `gzip;q=0` is how one says no (RFC 9110 §12.5.3). */
const takesGzip = (accepted: string): boolean => /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/i.test(accepted);
