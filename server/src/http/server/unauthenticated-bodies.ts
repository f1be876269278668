import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../wire/errors.ts';

const mebibyte = 1024 * 1024;
/** Of all bodies that come in from nobody in particular; a load condition report has some kilobytes. */
const mostOfStrangers = 64 * mebibyte;
/** What is announced as no longer than that is not worth counting: the connection itself holds as much. */
const shortBytes = 64 * 1024;

/**
 * Bounds what the bodies of strangers hold while they come in. Each may be as long as MAX_JSON_MB and take minutes:
 * without a bound a thousand connections that never end their report fill the memory. Past it they are told to come
 * again, as where too much waits for a commit (admission.ts). Drivers are not counted with them, and not refused because
 * of them.
 */
export function limitUnauthenticatedBodies(app: FastifyInstance, most = mostOfStrangers): void {
  const held = { bytes: 0 };
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.driver || !isJson(request) || isShort(request)) return done(null, payload);
    const counted = new CountedBody(held, most);
    // Whoever reads it stops listening where it is too long.
    counted.on('error', () => undefined);
    reply.raw.once('close', () => {
      // However it ended. A body that breaks off would else be waited for.
      counted.destroy(request.raw.complete ? undefined : new AppError('VALIDATION_FAILED'));
    });
    return done(null, payload.pipe(counted));
  });
}

const isJson = ({ headers }: FastifyRequest): boolean => /^application\/json/i.test(headers['content-type'] ?? '');
const isShort = ({ headers }: FastifyRequest): boolean => Number(headers['content-length']) <= shortBytes;

/** Passes a body on while there is room for all of them together. */
class CountedBody extends Transform {
  readonly #held: { bytes: number };
  readonly #most: number;
  #own = 0;

  constructor(held: { bytes: number }, most: number) {
    super();
    this.#held = held;
    this.#most = most;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#held.bytes + piece.length > this.#most)
      return done(new AppError('DATABASE_UNAVAILABLE', { message: 'Too many long bodies come in now; come again.' }));
    this.#held.bytes += piece.length;
    this.#own += piece.length;
    done(null, piece);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#held.bytes -= this.#own;
    this.#own = 0;
    done(error);
  }
}
