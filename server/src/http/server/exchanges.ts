import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** What was asked for on a connection. */
interface Exchange {
  /** Answers that are not out yet, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  /** What goes on with a request whose turn has not come, by its answer. */
  readonly waiting: Map<ServerResponse, () => void>;
  latest: ServerResponse;
}
const exchanges = new WeakMap<object, Exchange>();

/** Behind one that is served. No client sends so many without a look at an answer. */
const mostWaiting = 100;

/**
 * Serves the requests of one connection one after the other, as their answers go out anyhow (RFC 9112 §9.3.2). Node
 * begins all that it has read: whoever wrote a megabyte of requests and hung up kept the pool of database connections
 * busy for half a minute. Whoever asks on and on without hearing an answer is cut off.
 */
export function serveInTurn(app: FastifyInstance): void {
  watch(app.server);
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    const exchange = exchanges.get(socket);
    // None where no bytes came over a wire; not among them where a connection becomes a socket.
    if (!exchange?.open.has(response) || isFirst(exchange, response)) done();
    else if (exchange.waiting.size < mostWaiting) exchange.waiting.set(response, done);
    else socket.destroy();
  });
}

function watch(server: Server): void {
  // Before whatever serves the request, which asks at once whose turn it is.
  server.prependListener('request', ({ socket }, response) => {
    const exchange = exchanges.get(socket) ?? { open: new Set(), waiting: new Map(), latest: response };
    exchanges.set(socket, exchange);
    exchange.open.add(response);
    exchange.latest = response;
    response.once('close', () => {
      exchange.open.delete(response);
      goOn(exchange);
    });
  });
}

const isFirst = ({ open }: Exchange, response: ServerResponse): boolean => open.values().next().value === response;

function goOn({ open, waiting }: Exchange): void {
  const next = open.values().next().value;
  const serve = next && waiting.get(next);
  if (!serve) return; // none has come, or it was answered before anybody asked for its turn
  waiting.delete(next);
  serve();
}

/** Whether the other side would take what we say now for the answer to what is broken, and not to something else. */
export function isNextAnswer(socket: Socket): boolean {
  const exchange = exchanges.get(socket);
  if (!exchange) return true;
  const { open, latest } = exchange;
  // All is answered, so what is broken is a request of its own; else it is the body of the only one that is open.
  if (latest.req.complete) return open.size === 0;
  return open.size === 1 && open.has(latest) && !latest.headersSent;
}
