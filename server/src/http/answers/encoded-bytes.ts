import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { matchesEtag } from './conditional.ts';

/**
 * Each encoding is made once, off the main thread, on its first request. A higher level would cost more time than its
 * smaller size saves.
 */
const encoders = {
  br: (bytes: Buffer) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => gzipped(bytes, { level: 6 }),
};
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
export type Encoding = keyof typeof encoders;

const smallestFirst = ['br', 'gzip'] as const;

/** Bytes that many answers share, compressed once. The ETag is a hash of the bytes. */
export class EncodedBytes {
  readonly bytes: Buffer;
  readonly #digest: string;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();
  /** The smallest first. */
  readonly encodings: readonly (Encoding | 'identity')[];

  /** @param copies the only encodings to send, already made; without it, all of them, each made when it is needed */
  constructor(bytes: Buffer, copies?: Readonly<Partial<Record<Encoding, Buffer>>>) {
    this.bytes = bytes;
    for (const encoding of smallestFirst) {
      const copy = copies?.[encoding];
      if (copy) this.#encoded.set(encoding, Promise.resolve(copy));
    }
    this.encodings = [...(copies ? this.#encoded.keys() : smallestFirst), 'identity'];
    this.#digest = hash('sha256', bytes, 'base64url').slice(0, 22);
  }

  /** Quoted. Each encoding is another representation with its own tag (RFC 9110 §8.8.3.3). */
  etag(encoding: Encoding | 'identity'): string {
    return encoding === 'identity' ? `"${this.#digest}"` : `"${this.#digest}-${encoding}"`;
  }

  encoded(encoding: Encoding): Promise<Buffer> {
    const known = this.#encoded.get(encoding);
    if (known) return known;
    const making = encoders[encoding](this.bytes);
    this.#encoded.set(encoding, making);
    return making;
  }
}

export interface ByteHeaders {
  readonly type: string;
  readonly cacheControl: string;
  /** Request headers, beside Accept-Encoding, that change the answer. */
  readonly varies?: readonly string[];
}

/** Sends the bytes in the caller's preferred encoding, or 304 where the caller has them already. */
export async function sendEncoded(
  encodable: EncodedBytes,
  { type, cacheControl, varies = [] }: ByteHeaders,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  // The smallest among the encodings that the client prefers equally. The server never answers 406: a longer answer is
  // better than none.
  const { encodings } = encodable;
  const [encoding = 'identity'] = new Negotiator(request).encodings([...encodings], { preferred: [...encodings] });
  const etag = encodable.etag(encoding);
  const variesAlready = [reply.getHeader('vary') ?? []].flat().map(String);
  void reply.headers({
    etag,
    'cache-control': cacheControl,
    vary: [...variesAlready, 'accept-encoding', ...varies].join(', '),
  });
  if (matchesEtag(request, etag)) return reply.code(304).send();
  void reply.type(type);
  if (encoding === 'identity') return reply.send(encodable.bytes);
  return reply.header('content-encoding', encoding).send(await encodable.encoded(encoding));
}
