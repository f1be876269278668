import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, errorAnswer, toAppError } from '../../wire/errors.ts';
import { isNextAnswer } from './exchanges.ts';
import type { Lingering } from './lingering.ts';

/** Answers what is no HTTP request, comes too slowly or with too many headers, before any route is known. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, lingering: Lingering): void {
  // Reset by the other side: there is nobody to answer.
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || !isNextAnswer(socket)) {
    socket.destroy();
    return;
  }
  const status = statuses[error.code ?? ''] ?? 400;
  const id = randomUUID();
  const message = STATUS_CODES[status] ?? 'Bad Request';
  const text = JSON.stringify(errorAnswer(new AppError('VALIDATION_FAILED', { message }), id).body);
  const head = [
    `HTTP/1.1 ${status} ${message}`,
    ...Object.entries(alwaysTold).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${id}`,
    'connection: close',
  ];
  lingering.end(socket, `${head.join('\r\n')}\r\n\r\n${isHead(error) ? '' : text}`);
}

/** Whoever asked for no body would take one for the beginning of the next answer. */
const isHead = (error: Error): boolean =>
  'rawPacket' in error && Buffer.isBuffer(error.rawPacket) && error.rawPacket.toString('latin1', 0, 5) === 'HEAD ';

/** Answers a path that cannot be read (`/api/%zz`): no route and so no hook or error handler is reached. */
export function answerUnroutable(error: Error, { id }: { id: string }, { raw }: { raw: ServerResponse }): void {
  const { status, body } = errorAnswer(toAppError(error), id);
  const text = JSON.stringify(body);
  raw.writeHead(status, { ...alwaysTold, 'content-length': Buffer.byteLength(text), 'x-request-id': id });
  raw.end(text);
}

/** Here no hook has told it. */
const alwaysTold = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

const statuses: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
