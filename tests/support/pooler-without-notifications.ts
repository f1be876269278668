import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { atFileEnd } from './file-end.ts';
import { reservePort } from './reserved-port.ts';

/** `NotificationResponse` of PostgreSQL's protocol (chapter 54.7). */
const NOTIFICATION = 'A'.charCodeAt(0);

/** Like a transaction pooler before PostgreSQL: accepts LISTEN, and passes no notification. @returns its port */
export async function startPoolerWithoutNotifications(postgresPort: number): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const postgres = connect(postgresPort, '127.0.0.1');
    for (const [socket, other] of [[client, postgres] as const, [postgres, client] as const]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
    client.on('data', (bytes) => postgres.write(bytes));
    let unread = Buffer.alloc(0);
    postgres.on('data', (bytes) => {
      unread = Buffer.concat([unread, bytes]);
      // Each message: one byte for its type, then its length without that byte.
      for (let end = endOfMessage(unread); end <= unread.length; end = endOfMessage(unread)) {
        if (unread[0] !== NOTIFICATION) client.write(unread.subarray(0, end));
        unread = unread.subarray(end);
      }
    });
  });
  const port = await reservePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  atFileEnd(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return port;
}

function endOfMessage(bytes: Buffer): number {
  return bytes.length < 5 ? Infinity : 1 + bytes.readUInt32BE(1);
}
