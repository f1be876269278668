import { errorCodes, retryAfterSeconds, type ErrorCode, type ErrorDetail } from '@tailgate/sync-protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a phone shows of itself over plain HTTP. */
export interface ShownCredentials {
  readonly employee: string | undefined;
  readonly token: string | undefined;
  readonly queueKey: string | undefined;
}

/** The documented headers; hyphens for proxies that drop names with underscores. */
export function credentialsOf({ headers }: Pick<FastifyRequest, 'headers'>): ShownCredentials {
  const text = (name: string): string | undefined => {
    const value = headers[name] ?? headers[name.replaceAll('_', '-')];
    return typeof value === 'string' ? value.trim() || undefined : undefined;
  };
  return { employee: text('employee_id'), token: text('api_token'), queueKey: text('queue_key') };
}

export const statusOf = (code: ErrorCode): number => errorCodes[code].status;

/** The error envelope of the REST interface (contract §1). */
export const errorBody = (request_id: string, code: ErrorCode, message: string, details: readonly ErrorDetail[]) => ({
  success: false,
  message,
  data: null,
  error: { code, details, request_id },
});

/** The header of a refusal that passes. */
export function retryAfter(code: ErrorCode): { readonly 'retry-after'?: string } {
  const seconds = retryAfterSeconds[code];
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

/** Sends a refusal in the error envelope. A caller that knows a better `retry-after` sets it before. */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  code: ErrorCode,
  details: readonly ErrorDetail[] = [],
): FastifyReply {
  const { status, meaning } = errorCodes[code];
  if (!reply.hasHeader('retry-after')) reply.headers(retryAfter(code));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(status).send(errorBody(request.id, code, meaning, details));
}
