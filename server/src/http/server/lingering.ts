import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** How much the server reads and drops once it has answered. */
export interface LingerBounds {
  readonly bytes: number;
  /** From the moment at which the server closes its own direction; nginx takes as long (`lingering_time`). */
  readonly ms: number;
}

/** While the server stops: time enough for an answer on its way. */
const stoppingMs = 1_000;

/**
 * Ends connections so that the last answer arrives. Some answers go out before the request's body is in: a refusal does
 * not wait for megabytes. A close at that moment makes the kernel send a reset, and the reset can delete the answer from
 * the client's receive buffer. So the server closes in stages (RFC 9112 §9.6): it answers, closes its own direction,
 * reads and drops what still comes, and cuts the connection at its end or at a bound.
 */
export class Lingering {
  readonly #bounds: LingerBounds;
  /** Connections whose answer is out and whose client still sends. */
  readonly #open = new Set<Socket>();
  #isStopping = false;

  constructor(bounds: LingerBounds) {
    this.#bounds = bounds;
  }

  /**
   * Lingers after every answer that comes before the end of its request. A connection that stays open for the next
   * request has the same bound of bytes; its bound of time is `requestTimeout`. A request that asks for an upgrade in
   * vain is the last of its connection: Node's parser takes what follows for another protocol and drops it.
   */
  watch(app: FastifyInstance): void {
    app.server.prependListener('request', (request, response) => {
      const isLast = request.headers.upgrade !== undefined;
      if (isLast) response.shouldKeepAlive = false;
      // Before Node's own listener, which ends the connection where no further request may follow.
      response.prependOnceListener('finish', () => {
        if (request.complete && !isLast) return;
        const { socket } = request;
        // A listener on the socket would take the bytes from Node's parser, which may have stopped reading.
        limitReceivedBytes(request, socket, this.#bounds.bytes);
        // A handler that reads the body as a web stream pauses the request, also after the answer.
        request.on('pause', () => request.resume());
        request.unpipe().resume();
        this.#open.add(socket);
        if (this.#isStopping) closeAfter(socket, stoppingMs);
        const settle = () => void this.#open.delete(socket);
        request.once('close', settle);
        // The method by which Node ends a connection.
        socket.destroySoon = () => {
          settle();
          this.end(socket);
        };
      });
    });
    app.addHook('preClose', async () => {
      this.#isStopping = true;
      for (const socket of this.#open) closeAfter(socket, stoppingMs);
    });
  }

  /** Ends a connection after its last answer and lingers. */
  end(socket: Socket, lastBytes = ''): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    // A full request has made the parser stop reading. Node restarts it on this event, but not after the next line.
    socket.emit('resume');
    // The parser receives no further bytes: after the last answer a connection carries no request.
    socket.removeAllListeners('data');
    limitReceivedBytes(socket, socket, this.#bounds.bytes);
    closeAfter(socket, this.#isStopping ? stoppingMs : this.#bounds.ms);
    socket.end(lastBytes);
    socket.resume();
  }
}

/** Cuts the connection when more bytes than that have come from the request, or from the socket itself. */
function limitReceivedBytes(from: Readable, socket: Socket, bytes: number): void {
  let left = bytes;
  from.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) socket.destroy();
  });
}

function closeAfter(socket: Socket, ms: number): void {
  const timer = setTimeout(() => socket.destroy(), ms);
  socket.once('close', () => clearTimeout(timer));
}
