import type { FastifyRequest } from 'fastify';
import { AppError } from './errors.ts';

export interface AdmissionLimits {
  /** Requests that wait for a commit. A depot's morning is a few hundred, done within a second. */
  readonly requests: number;
  /** The total length of their bodies. Parsed bodies take a few times that. */
  readonly bytes: number;
}
const ordinaryLimits: AdmissionLimits = { requests: 2_000, bytes: 64 * 1024 * 1024 };
/** The assumed length of a body that declares none. */
const undeclaredBytes = 1024 * 1024;

/**
 * Bounds the requests that wait for a commit while PostgreSQL hangs. Above the limits a request is refused with
 * `retry-after` before anything is saved. Sockets need no such bound, because the server pauses them.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  #requests = 0;
  #bytes = 0;

  constructor(limits: AdmissionLimits = ordinaryLimits) {
    this.#limits = limits;
  }

  async hold<Result>({ headers }: Pick<FastifyRequest, 'headers'>, work: () => Promise<Result>): Promise<Result> {
    const bytes = Number(headers['content-length'] ?? undeclaredBytes);
    // The first request always enters: the limit of bodies bounds it.
    const full = this.#requests >= this.#limits.requests || this.#bytes + bytes > this.#limits.bytes;
    if (full && this.#requests > 0)
      throw new AppError('DATABASE_UNAVAILABLE', { message: 'Too much waits for the database now; come again.' });
    this.#requests += 1;
    this.#bytes += bytes;
    try {
      return await work();
    } finally {
      this.#requests -= 1;
      this.#bytes -= bytes;
    }
  }
}
