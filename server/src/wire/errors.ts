import type { FastifyInstance } from 'fastify';
import type { ErrorCode, ErrorDetail } from '@tailgate/sync-protocol';
import { errorCodes, retryAfterSeconds } from '@tailgate/sync-protocol';
import { QuotaExceeded } from '../assets/quota.ts';
import { HashingBusyError } from '../auth/passwords.ts';
import { isDatabaseUnavailable } from '../db/unavailable.ts';

interface ErrorExtras {
  /** For people. The default is the meaning of the code. */
  readonly message?: string;
  readonly details?: readonly ErrorDetail[];
  /** For the few errors that are documented with `data`. */
  readonly data?: object;
  /** The wait before the next attempt, where it is more exact than the default of the code. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** An error answer. Its code is in the catalogue, which determines the status. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly data: object | null;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, { message, details = [], data, retryAfterMs, cause }: ErrorExtras = {}) {
    super(message ?? errorCodes[code].meaning, { cause });
    this.code = code;
    this.details = details;
    this.data = data ?? null;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The answer to anything that a handler throws. An unexpected error shows nothing of the server's internals. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HashingBusyError) return new AppError('RATE_LIMITED', { cause: error });
  if (error instanceof QuotaExceeded)
    return new AppError('RATE_LIMITED', { message: error.message, retryAfterMs: error.retryAfterMs, cause: error });
  if (isDatabaseUnavailable(error)) return new AppError('DATABASE_UNAVAILABLE', { cause: error });
  const status = statusOf(error);
  if (status === 413) return new AppError('TOO_LARGE', { cause: error });
  if (status === 415) return new AppError('UNSUPPORTED_MEDIA_TYPE', { cause: error });
  if (status === 404) return new AppError('NOT_FOUND', { cause: error });
  // Other refusals of Fastify, such as a wrong content length or a broken percent sign in the path.
  if (status !== undefined && status >= 400 && status < 500) return new AppError('VALIDATION_FAILED', { cause: error });
  return new AppError('INTERNAL', { cause: error });
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** The documented error envelope (contract §1). */
export function errorAnswer(error: AppError, requestId: string): ErrorAnswer {
  const { code, message, details, data, retryAfterMs } = error;
  // Rounded up: a client that waits exactly this long must not come too early.
  const seconds = retryAfterMs === undefined ? retryAfterSeconds[code] : Math.max(1, Math.ceil(retryAfterMs / 1000));
  const { status } = errorCodes[code];
  return {
    status,
    headers: {
      ...(seconds !== undefined && { 'retry-after': String(seconds) }),
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    },
    body: { success: false, message, data, error: { code, details, request_id: requestId } },
  };
}

const fileHeaders = ['content-type', 'content-length', 'content-range', 'content-disposition', 'accept-ranges', 'etag'];

/** Answers every error of a server with the documented envelope (contract §1). */
export function answerErrors(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    // Answers contain tokens and customers. An answer that a cache may store sets its own header.
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store' });
    done();
  });
  app.setNotFoundHandler(() => {
    throw new AppError('NOT_FOUND');
  });
  app.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown);
    const { status, headers, body } = errorAnswer(error, request.id);
    if (error.code === 'INTERNAL') request.log.error({ err: error.cause ?? error }, 'a request failed');
    else if (status >= 500) request.log.warn({ err: error.cause ?? error }, 'a request has to come again');
    // Fastify asks to close a connection whose body it did not read. A client that is still sending then misses the
    // answer. So the connection stays open, and the server reads the rest and drops it.
    if (reply.raw.shouldKeepAlive) reply.removeHeader('connection');
    // A file whose first bytes cannot be read has its headers already.
    for (const name of fileHeaders) reply.removeHeader(name);
    reply.header('cache-control', 'no-store');
    request.raw.unpipe();
    request.raw.resume();
    return reply.code(status).headers(headers).send(body);
  });
}
