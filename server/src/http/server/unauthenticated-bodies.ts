import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../wire/errors.ts';

const mebibyte = 1024 * 1024;
/** Of all unauthenticated bodies together; a load condition report has some kilobytes. */
const longestPublicBody = 64 * mebibyte;
/** Shorter bodies do not count: the connection itself takes as much memory. */
const shortBytes = 64 * 1024;

/**
 * Bounds the memory of unauthenticated bodies while they arrive. Each may be as long as MAX_JSON_MB and take minutes:
 * without a bound a thousand unfinished reports fill the memory. Above it a request is refused with `retry-after`, as
 * in wire/admission.ts. Drivers' bodies do not count and are never refused for them.
 */
export function limitUnauthenticatedBodies(app: FastifyInstance, max = longestPublicBody): void {
  const buffered = { bytes: 0 };
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.driver || request.ops || !isJson(request) || isShort(request)) return done(null, payload);
    const counted = new CountedBody(buffered, max);
    // The reader stops at its own limit.
    counted.on('error', () => undefined);
    reply.raw.once('close', () => {
      // In any case: a body that breaks off would otherwise count for ever.
      counted.destroy(request.raw.complete ? undefined : new AppError('VALIDATION_FAILED'));
    });
    return done(null, payload.pipe(counted));
  });
}

const isJson = ({ headers }: FastifyRequest): boolean => /^application\/json/i.test(headers['content-type'] ?? '');
const isShort = ({ headers }: FastifyRequest): boolean => Number(headers['content-length']) <= shortBytes;

/** Passes a body on while the total is below the bound. */
class CountedBody extends Transform {
  readonly #buffered: { bytes: number };
  readonly #max: number;
  #own = 0;

  constructor(buffered: { bytes: number }, max: number) {
    super();
    this.#buffered = buffered;
    this.#max = max;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#buffered.bytes + piece.length > this.#max)
      return done(new AppError('DATABASE_UNAVAILABLE', { message: 'Too many long bodies come in now; come again.' }));
    this.#buffered.bytes += piece.length;
    this.#own += piece.length;
    done(null, piece);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#buffered.bytes -= this.#own;
    this.#own = 0;
    done(error);
  }
}
