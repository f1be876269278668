import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

const TICK_MS = 10;

export interface CutLink {
  readonly url: string;
  /** Bytes sent up so far. */
  readonly bytes: () => number;
  close(): Promise<void>;
}

/**
 * The radio link between a phone and a server: a limit of bytes per second up, for all connections together, and
 * regular cuts.
 */
export async function openCutLink(target: string, bytesPerSecond: number, cutMs: number): Promise<CutLink> {
  const links = new Set<{ readonly client: Socket; readonly server: Socket }>();
  const share = (bytesPerSecond * TICK_MS) / 1_000;
  let sent = 0;
  const cut = (): void => {
    for (const { client, server } of links) {
      client.resetAndDestroy();
      // Bytes that have left the phone arrive. A cut loses only unsent bytes.
      server.end();
    }
    links.clear();
  };
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(target).port), '127.0.0.1');
    const link = { client, server };
    links.add(link);
    for (const socket of [client, server]) socket.on('error', () => links.delete(link));
    server.on('close', () => client.destroy());
    server.pipe(client);
  });
  const ticking = setInterval(() => {
    for (const { client, server } of links) {
      const bytes: unknown = client.read(Math.min(share, client.readableLength));
      if (!Buffer.isBuffer(bytes)) continue;
      sent += bytes.length;
      server.write(bytes);
    }
  }, TICK_MS);
  const cutting = setInterval(cut, cutMs);
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the link has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    bytes: () => sent,
    async close() {
      clearInterval(ticking);
      clearInterval(cutting);
      cut();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
