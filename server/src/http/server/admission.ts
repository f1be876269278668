import type { FastifyRequest } from 'fastify';
import { AppError } from '../../wire/errors.ts';

export interface AdmissionLimits {
  /** Requests whose changes wait for their commit. A depot's morning is a few hundred; they are done in a second. */
  readonly requests: number;
  /** What their bodies were long together; parsed they are a few times that. */
  readonly bytes: number;
}
const ordinaryLimits: AdmissionLimits = { requests: 2_000, bytes: 64 * 1024 * 1024 };
/** For a body whose length was not told. */
const untoldBytes = 1024 * 1024;

/**
 * Bounds what waits for a commit while PostgreSQL hangs: past the limits a request is told to come again, before
 * anything of it is taken. Sockets need none of this: they are asked to wait before their frames are read.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  #requests = 0;
  #bytes = 0;

  constructor(limits: AdmissionLimits = ordinaryLimits) {
    this.#limits = limits;
  }

  async hold<Result>({ headers }: Pick<FastifyRequest, 'headers'>, work: () => Promise<Result>): Promise<Result> {
    const bytes = Number(headers['content-length'] ?? untoldBytes);
    // The first is always let in: no body is longer than the limit of bodies.
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
