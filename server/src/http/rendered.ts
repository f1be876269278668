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

/**
 * A whole answer as the bytes that go out, so that what many ask for is put together and compressed once and never
 * copied. Its ETag is of the bytes: equal answers are equal, whatever made them.
 */
export class Rendered<Data> {
  /** What the bytes say; for the compiler only. */
  declare readonly says: Data;
  readonly bytes: Buffer;
  readonly #digest: string;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(message: string, data: Data, meta?: object) {
    this.bytes = Buffer.from(JSON.stringify({ success: true, message, data, ...(meta && { meta }) }));
    this.#digest = hash('sha256', this.bytes, 'base64url').slice(0, 22);
  }

  /** What it takes in memory, compressed forms included: of our JSON they are a tenth, of a hostile one not much more. */
  get weight(): number {
    return Math.ceil(this.bytes.length * 1.25);
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

/** Sends it in the encoding that the caller likes best, or says that the caller has it already. */
export async function sendRendered(
  rendered: Rendered<unknown>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  // Of what a client likes equally, the smallest. Nobody is told 406: an answer too long is better than none.
  const [encoding = 'identity'] = new Negotiator(request).encodings(encodings, { preferred: encodings });
  const etag = rendered.etag(encoding);
  const varies = [reply.getHeader('vary') ?? []].flat().map(String);
  void reply.headers({
    etag,
    'cache-control': 'private, no-cache',
    // Another driver on the same phone is another answer.
    vary: [...varies, 'accept-encoding', 'employee_id', 'api_token', 'employee-id', 'api-token'].join(', '),
  });
  if (hasIt(request, etag)) return reply.code(304).send();
  void reply.type('application/json; charset=utf-8');
  if (encoding === 'identity') return reply.send(rendered.bytes);
  return reply.header('content-encoding', encoding).send(await rendered.encoded(encoding));
}

interface Kept<Data> {
  /** Of what it was made. Another stamp, another answer. */
  readonly stamp: string;
  readonly rendered: Rendered<Data>;
}

/** Rendered answers by name, the latest stamp of each; those that nobody has asked for the longest go first. */
export class RenderedAnswers<Data> {
  readonly #mostBytes: number;
  readonly #kept = new Map<string, Kept<Data>>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(name: string, stamp: string): Rendered<Data> | undefined {
    const kept = this.#kept.get(name);
    if (kept?.stamp !== stamp) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    return kept.rendered;
  }

  set(name: string, stamp: string, rendered: Rendered<Data>): void {
    this.#drop(name);
    if (rendered.weight > this.#mostBytes) return;
    this.#kept.set(name, { stamp, rendered });
    this.#bytes += rendered.weight;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.rendered.weight ?? 0;
    this.#kept.delete(name);
  }
}
