import { canonicalJson } from '@tailgate/sync-protocol';
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../mutations/item.ts';
import { AppError } from '../../wire/errors.ts';

/**
 * The SHA-256 of a request with an `Idempotency-Key`, on both path sets. It covers the sent body, not the parsed one:
 * parsing may change with the server's version.
 */
export const fingerprintOf = (suffix: string, { body }: Pick<FastifyRequest, 'body'>): Buffer =>
  sha256(canonicalJson({ suffix, body }));

export const keyReused = (): AppError =>
  new AppError('IDEMPOTENCY_KEY_REUSED', {
    details: [
      { path: 'idempotency-key', message: 'another request came under this key: nothing of this one was taken' },
    ],
  });
