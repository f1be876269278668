import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Ends, when the server stops, what has connected and never said anything: a browser's connection in advance, a phone
 * that lost its network in the handshake, a probe of a load balancer. Node waits for their first request instead, until
 * its time is over, and the stop with it.
 */
export function endSilentConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  let isClosing = false;
  const endIfSilent = (socket: Socket): void => {
    if (socket.bytesRead === 0) socket.destroy();
  };
  app.server.on('connection', (socket: Socket) => {
    // It came between the word to stop and the end of listening.
    if (isClosing) return endIfSilent(socket);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of open) endIfSilent(socket);
  });
}
