import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Above the ephemeral range of the kernel, where any outgoing connection could take a port, and apart from the ports that
 * an embedded PostgreSQL chooses for itself (`server/src/embedded-postgres/cluster.ts`).
 */
const first = 63_501;
const last = 65_535;

/**
 * A port of 127.0.0.1 for this process alone, with or without a server on it: a server that is killed and started again
 * finds it free. The lock is the UDP port of the same number; the kernel frees it when the process ends in any way.
 */
export async function reservePort(): Promise<number> {
  const start = Math.floor(Math.random() * (last - first + 1));
  for (let step = 0; first + step <= last; step++) {
    const port = first + ((start + step) % (last - first + 1));
    if ((await lock(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no free port between ${first} and ${last} on 127.0.0.1`);
}

async function lock(port: number): Promise<boolean> {
  const token = createSocket('udp4').unref();
  try {
    const listening = once(token, 'listening');
    token.bind({ port, address: '127.0.0.1', exclusive: true });
    await listening;
    return true;
  } catch {
    token.close();
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
