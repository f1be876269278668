import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import type { Listening, ScriptedDesk } from './scripted-connections.ts';

/** Opens a free loopback port for a scripted server. */
export async function listen(engine: ScriptedDesk): Promise<Listening> {
  const http = createServer((request, response) => void answer(engine, request, response));
  const sockets = new WebSocketServer({ server: http, path: '/api/sync' });
  sockets.on('connection', (socket) => connect(engine, socket));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('the scripted server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

function connect(engine: ScriptedDesk, socket: WebSocket): void {
  const { hear, closed } = engine.connect({
    send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text),
    close: (code) => socket.close(code),
    cut: () => socket.terminate(),
  });
  socket.on('message', (data: Buffer) => hear(data.toString('utf8')));
  socket.on('close', closed);
}

async function answer(engine: ScriptedDesk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request).catch(() => undefined);
  // The client has closed the request.
  if (body === undefined) return;
  const answered = await engine.answer(
    {
      method: request.method ?? 'GET',
      url: new URL(request.url ?? '/', 'http://127.0.0.1'),
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body: Uint8Array.from(body),
    },
    () => response.destroy(),
  );
  if (answered === undefined) return void response.destroy();
  const { status, headers, body: content } = answered;
  response.writeHead(status, { ...(content && { 'content-type': 'application/json' }), ...headers });
  response.end(content && JSON.stringify(content));
}
