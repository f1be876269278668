import { errorCodes, type ErrorCode, type ErrorDetail } from '@tailgate/sync-protocol';
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

/** The error envelope of the REST interface (contract §1). */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  code: ErrorCode,
  details: readonly ErrorDetail[] = [],
): FastifyReply {
  const { status, meaning } = errorCodes[code];
  return reply
    .code(status)
    .send({ success: false, message: meaning, data: null, error: { code, details, request_id: request.id } });
}
