import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The requests of a connection. */
interface Exchange {
  /** Answers that are not sent yet, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  /** Continuations of requests that wait for their turn, by answer. */
  readonly waiting: Map<ServerResponse, () => void>;
  latest: ServerResponse;
}
const exchanges = new WeakMap<object, Exchange>();

/** Requests behind the one in progress. No client sends so many without reading an answer. */
const maxWaiting = 100;

/**
 * Handles the requests of one connection one after the other, in the order of their answers (RFC 9112 §9.3.2). Node
 * starts every request that it has read. A client that sent a megabyte of requests and hung up kept the database pool
 * busy for half a minute. A connection with too many unread answers is cut.
 */
export function serveInTurn(app: FastifyInstance): void {
  watch(app.server);
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    const exchange = exchanges.get(socket);
    // Absent for injected requests, and after an upgrade to a socket.
    if (!exchange?.open.has(response) || isOldest(exchange, response)) done();
    else if (exchange.waiting.size < maxWaiting) exchange.waiting.set(response, done);
    else socket.destroy();
  });
}

function watch(server: Server): void {
  // Runs before the handler, which asks for its turn at once.
  server.prependListener('request', ({ socket }, response) => {
    const exchange = exchanges.get(socket) ?? { open: new Set(), waiting: new Map(), latest: response };
    exchanges.set(socket, exchange);
    exchange.open.add(response);
    exchange.latest = response;
    response.once('close', () => {
      exchange.open.delete(response);
      serveNext(exchange);
    });
  });
}

const isOldest = ({ open }: Exchange, response: ServerResponse): boolean => open.values().next().value === response;

function serveNext({ open, waiting }: Exchange): void {
  const next = open.values().next().value;
  const serve = next && waiting.get(next);
  if (!serve) return; // no request is waiting, or the handler has not asked for its turn yet
  waiting.delete(next);
  serve();
}

/** Whether the other side would take the next answer for the answer to the broken request. */
export function isNextAnswer(socket: Socket): boolean {
  const exchange = exchanges.get(socket);
  if (!exchange) return true;
  const { open, latest } = exchange;
  // Without open answers the broken bytes are a request of their own. With one, they belong to its body.
  if (latest.req.complete) return open.size === 0;
  return open.size === 1 && open.has(latest) && !latest.headersSent;
}
