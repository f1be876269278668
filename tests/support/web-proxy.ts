import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { atFileEnd } from './file-end.ts';

interface WebProxyOptions {
  readonly blocksSockets: boolean;
  /** Such as `/pod`. */
  readonly prefix: string;
  /** Another server of the paths under `/app`. */
  readonly pages?: string;
}

/** A company's proxy: it forwards requests, and sockets only where its owner allows them. */
export class WebProxy {
  blocksSockets: boolean;
  readonly #target: URL;
  readonly #pages: URL;
  /** The part of each path that the server does not see. */
  readonly #prefix: string;
  readonly #server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    const path = url.slice(this.#prefix.length);
    const { hostname, port } = path.startsWith('/app') ? this.#pages : this.#target;
    const forwarded = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  readonly #tunnels = new Set<Duplex>();

  constructor(target: string, { blocksSockets, prefix, pages = target }: WebProxyOptions) {
    this.#target = new URL(target);
    this.#pages = new URL(pages);
    this.#prefix = prefix;
    this.blocksSockets = blocksSockets;
    this.#server.on('upgrade', (incoming: IncomingMessage, near: Duplex) => this.#upgrade(incoming, near));
  }

  static async start(target: string, options: Partial<WebProxyOptions> = {}): Promise<WebProxy> {
    const proxy = new WebProxy(target, { blocksSockets: false, prefix: '', ...options });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    atFileEnd(() => proxy.stop());
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    for (const tunnel of this.#tunnels) tunnel.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #upgrade({ method, url = '/', rawHeaders }: IncomingMessage, near: Duplex): void {
    near.on('error', () => near.destroy());
    if (this.blocksSockets) return void near.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
    const far = connect(Number(this.#target.port), this.#target.hostname);
    for (const end of [near, far]) {
      this.#tunnels.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => this.#tunnels.delete(end));
    }
    const headers = rawHeaders.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    far.write(`${method} ${url.slice(this.#prefix.length)} HTTP/1.1\r\n${headers}\r\n`);
    near.pipe(far).pipe(near);
  }
}
