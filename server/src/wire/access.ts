import { createHash, timingSafeEqual } from 'node:crypto';
import type { Access } from '@tailgate/sync-protocol';
import type { FastifyRequest } from 'fastify';
import type { Driver, Sessions } from '../auth/sessions.ts';
import { AppError } from './errors.ts';

/** The credentials in the headers of a request. */
export interface Credentials {
  readonly employee: string | undefined;
  readonly token: string | undefined;
  /** The key of one phone's queue, for requests without a session (decision 54). */
  readonly queueKey: string | undefined;
}

/** The documented headers. The spelling with hyphens is for proxies that drop names with underscores (contract §1). */
export function credentialsOf({ headers }: Pick<FastifyRequest, 'headers'>): Credentials {
  return {
    employee: text(headers['employee_id']) ?? text(headers['employee-id']),
    token: text(headers['api_token']) ?? text(headers['api-token']),
    queueKey: text(headers['queue_key']) ?? text(headers['queue-key']),
  };
}

const text = (header: string | string[] | undefined): string | undefined =>
  (typeof header === 'string' ? header.trim() : undefined) || undefined;

/** Contract §8. */
export type AccessMode = 'documented' | 'strict';

/** Whether an operation of this access needs no credentials. */
export const isOpen = (access: Access, mode: AccessMode): boolean =>
  access === 'public' || (access === 'open' && mode === 'documented');

export interface AccessOptions {
  readonly mode: AccessMode;
  readonly sessions: Sessions;
  readonly opsToken: string;
}

/**
 * Checks the credentials of a request and returns its driver where the operation requires one. It reads only headers.
 */
export type Gate = (request: FastifyRequest) => Promise<Driver | undefined>;

export function gateOf(access: Access, options: AccessOptions): Gate {
  if (access === 'operator') return async (request) => requireOperator(request, options.opsToken);
  return isOpen(access, options.mode) ? async () => undefined : (request) => requireDriver(request, options.sessions);
}

async function requireDriver(request: FastifyRequest, sessions: Sessions): Promise<Driver> {
  const { employee, token } = credentialsOf(request);
  if (employee === undefined || token === undefined) throw new AppError('MISSING_CREDENTIALS');
  const driver = await sessions.authenticate(employee, token);
  if (!driver) throw new AppError('INVALID_TOKEN');
  return driver;
}

/** @throws AppError where the request lacks the operator's token */
export function requireOperator(request: FastifyRequest, opsToken: string): undefined {
  if (bearerOf(request) === undefined)
    throw new AppError('MISSING_CREDENTIALS', { message: 'The header Authorization: Bearer OPS_TOKEN is required.' });
  if (!isOperator(request, opsToken)) throw new AppError('INVALID_TOKEN', { message: 'The operator token is wrong.' });
}

/** Whether a request has the operator's token. */
export function isOperator(request: Pick<FastifyRequest, 'headers'>, opsToken: string): boolean {
  const shown = bearerOf(request);
  // Digests have equal length and the comparison takes constant time, so that it reveals no part of a right guess.
  return shown !== undefined && timingSafeEqual(digest(shown), digest(opsToken));
}

const bearerOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();
