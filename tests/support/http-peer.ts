import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { atFileEnd } from './file-end.ts';
import { reservePort } from './reserved-port.ts';

/** Another HTTP server; it ends with the file. @returns its address */
export async function startHttpPeer(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  const port = await reservePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  atFileEnd(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${port}`;
}
