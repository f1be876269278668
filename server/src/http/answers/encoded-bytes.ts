import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { hasIt } from './conditional.ts';

/** Each is made once, off the main thread, when somebody asks for it; the levels are where size stops paying for time. */
const encoders = {
  br: (bytes: Buffer) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => gzipped(bytes, { level: 6 }),
};
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
type Encoding = keyof typeof encoders;
const encodings = ['br', 'gzip', 'identity'] as const;

/** Bytes that go out as they are, again and again: compressed once. Their ETag is of them: equal bytes are equal. */
export class EncodedBytes {
  readonly bytes: Buffer;
  readonly #digest: string;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.#digest = hash('sha256', bytes, 'base64url').slice(0, 22);
  }

  /** Quoted; each encoding is another representation and has its own (RFC 9110 §8.8.3.3). */
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

export interface SentAs {
  readonly type: string;
  readonly cacheControl: string;
  /** Request headers, beside Accept-Encoding, with which the answer would be another. */
  readonly varies?: readonly string[];
}

/** Sends them in the encoding that the caller likes best, or says that the caller has them already. */
export async function sendEncoded(
  encodable: EncodedBytes,
  { type, cacheControl, varies = [] }: SentAs,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  // Of what a client likes equally, the smallest. Nobody is told 406: an answer too long is better than none.
  const [encoding = 'identity'] = new Negotiator(request).encodings(encodings, { preferred: encodings });
  const etag = encodable.etag(encoding);
  const variesAlready = [reply.getHeader('vary') ?? []].flat().map(String);
  void reply.headers({
    etag,
    'cache-control': cacheControl,
    vary: [...variesAlready, 'accept-encoding', ...varies].join(', '),
  });
  if (hasIt(request, etag)) return reply.code(304).send();
  void reply.type(type);
  if (encoding === 'identity') return reply.send(encodable.bytes);
  return reply.header('content-encoding', encoding).send(await encodable.encoded(encoding));
}
