import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, errorAnswer, toAppError } from '../../wire/errors.ts';
import { isNextAnswer } from './exchanges.ts';
import type { Lingering } from './lingering.ts';

/** Answers a connection that sends no valid HTTP request, is too slow, or sends too many headers. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, lingering: Lingering): void {
  // The other side reset the connection, so no client is left to answer.
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
    ...Object.entries(commonHeaders).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${id}`,
    'connection: close',
  ];
  lingering.end(socket, `${head.join('\r\n')}\r\n\r\n${isHead(error) ? '' : text}`);
}

/** A client that sent HEAD would take a body for the beginning of the next answer. */
const isHead = (error: Error): boolean =>
  'rawPacket' in error && Buffer.isBuffer(error.rawPacket) && error.rawPacket.toString('latin1', 0, 5) === 'HEAD ';

/** Answers an unreadable path (`/api/%zz`), which reaches no route, hook or error handler. */
export function answerUnroutable(error: Error, { id }: { id: string }, { raw }: { raw: ServerResponse }): void {
  const { status, body } = errorAnswer(toAppError(error), id);
  const text = JSON.stringify(body);
  raw.writeHead(status, { ...commonHeaders, 'content-length': Buffer.byteLength(text), 'x-request-id': id });
  raw.end(text);
}

/** No hook has set these headers here. */
const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

const statuses: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
