import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { atFileEnd } from '../support/file-end.ts';
import { buildApp } from './built-app.ts';

const page = 'index.html';
/** A browser runs scripts and applies styles of these types alone. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
};
const built = join(import.meta.dirname, '../../server/web/dist/app');

/** A host of files alone, such as any web space: the built app below a folder, and nothing of Tailgate's server. */
export interface StaticHost {
  readonly port: number;
  readonly address: string;
  /** Requests for anything but a file of the app. */
  readonly strays: readonly string[];
}

export async function startStaticHost(): Promise<StaticHost> {
  await buildApp();
  const strays: string[] = [];
  const answer = async ({ method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, name] = /^\/depot\/app\/([\w.-]*)(?:\?.*)?$/.exec(url) ?? [];
    const bytes = name === undefined ? undefined : await readFile(join(built, name || page)).catch(() => undefined);
    if (name === undefined || bytes === undefined) {
      strays.push(`${method} ${url}`);
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': types[extname(name || page)] ?? 'application/octet-stream' });
    response.end(bytes);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.on('upgrade', ({ url }, socket) => {
    strays.push(`upgrade ${url}`);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atFileEnd(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the static host has no port');
  return { port: address.port, address: `http://127.0.0.1:${address.port}/depot/app/`, strays };
}
