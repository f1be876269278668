import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { readText } from '../house/source-file.ts';

/** The test's limit of connections of an address. */
export const connectionsOfOne = 8;

export type Proxy = { socket: string; stop: () => Promise<void> };

/** Replaces exactly one place; the test fails where the configuration has changed. */
function replaceOne(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`nginx.conf no longer has exactly one "${from}"`);
  return text.replace(from, to);
}

/** A real nginx with the project's configuration between Unix sockets: only the addresses are the test's. */
export async function startNginx(upstreams: [string, string]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tailgate-proxy-'));
  const socket = join(folder, 'proxy.sock');
  const addresses: [string, string][] = [
    ['listen 8080;', `listen unix:${socket};`],
    ['server server-1:3000', `server unix:${upstreams[0]}`],
    ['server server-2:3000', `server unix:${upstreams[1]}`],
    ['limit_conn addresses 500;', `limit_conn addresses ${connectionsOfOne};`],
  ];
  const site = addresses.reduce((text, [from, to]) => replaceOne(text, from, to), readText('server/deploy/nginx.conf'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`);
  const main = `daemon off; master_process off; pid ${folder}/pid; error_log stderr notice;
    events {} http { access_log off; ${temporary.join(' ')} ${site} }`;
  writeFileSync(join(folder, 'nginx.conf'), main);

  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const output: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    output.push(line);
    // nginx reports this once its sockets are open.
    if (line.includes('event method')) break;
  }
  if (child.exitCode !== null || !output.at(-1)?.includes('event method')) {
    await exited;
    throw new Error(`nginx did not start:\n${output.join('\n')}`);
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true });
  };
  return { socket, stop };
}

/** An HTTP server on a Unix socket, as the proxy's other end. */
export async function listenOn(socket: string, server: Server = createServer()): Promise<Server> {
  server.listen(socket);
  await once(server, 'listening');
  return server;
}
