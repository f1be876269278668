import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Ends connections without any request when the server stops: a browser's preconnect, a phone that lost its network in
 * the handshake, a probe of a load balancer. Otherwise Node, and the stop with it, waits for their first request until
 * its timeout.
 */
export function endSilentConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  let isClosing = false;
  const endIfSilent = (socket: Socket): void => {
    if (socket.bytesRead === 0) socket.destroy();
  };
  app.server.on('connection', (socket: Socket) => {
    // It came between the stop and the end of listening.
    if (isClosing) return endIfSilent(socket);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of open) endIfSilent(socket);
  });
}
