import type { FastifyInstance } from 'fastify';
import { AppError, errorAnswer, toAppError } from './errors.ts';

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
    request.raw.unpipe();
    request.raw.resume();
    return reply.code(status).headers(headers).send(body);
  });
}
