import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { atFileEnd } from './file-end.ts';
import { listed } from './open-waits.ts';
import { reservePort } from './reserved-port.ts';
import { LinkDirection, type LinkConditions } from './tcp-direction.ts';

interface Link {
  client: Socket;
  target: Socket;
  up: LinkDirection;
  down: LinkDirection;
}

/** A proxy on loopback before `targetPort`. It ends with the test file. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const proxy = new TcpProxy(targetPort, await reservePort());
  await proxy.accept();
  atFileEnd(() => proxy.stop());
  return proxy;
}

/**
 * The network between a client and a server, with its faults: bytes pass, wait, slow down, vanish, or the link breaks.
 * Up is from the client to the server, down is the way back. Suitable for HTTP, WebSocket and PostgreSQL alike.
 */
export class TcpProxy {
  readonly port: number;
  #targetPort: number;
  readonly #links = new Set<Link>();
  readonly #up: LinkConditions = normalConditions();
  readonly #down: LinkConditions = normalConditions();
  readonly #watchers = new Set<() => void>();
  #server: Server | undefined;
  #endedBytesUp = 0;

  constructor(targetPort: number, port: number) {
    this.#targetPort = targetPort;
    this.port = port;
  }

  get links(): number {
    return this.#links.size;
  }

  /** Bytes that were passed to the server, over all links so far. */
  get bytesUp(): number {
    return [...this.#links].reduce((sum, { target }) => sum + target.bytesWritten, this.#endedBytesUp);
  }

  /** `address` through this proxy: same protocol, credentials and path, the proxy's port. */
  through(address: string): string {
    const url = new URL(address);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** New connections go there from now on, as when an address moves to another machine. */
  retarget(targetPort: number): void {
    this.#targetPort = targetPort;
  }

  /** Everything passes again. Links that lost bytes are cut: an incomplete stream is invalid. */
  pass(): void {
    Object.assign(this.#up, normalConditions());
    Object.assign(this.#down, normalConditions());
    for (const link of this.#links) if (link.up.lossy || link.down.lossy) destroy(link);
    this.#flow();
  }

  /** Breaks all links at once, as a reset does. New ones are accepted. */
  cut(): void {
    for (const link of this.#links) destroy(link);
  }

  /** Breaks all links each time this many more bytes have passed to the server; resolves with the last of the cuts. */
  cutEvery(bytes: number, times: number): Promise<void> {
    let [before, remaining] = [this.bytesUp, times];
    return new Promise((resolve) => {
      const poll = (): void => {
        if (this.bytesUp - before < bytes) return;
        before = this.bytesUp;
        this.cut();
        if (--remaining > 0) return;
        this.#watchers.delete(poll);
        resolve();
      };
      this.#watchers.add(poll);
    });
  }

  /** New connections are refused, as without a server. Existing links continue. */
  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  async accept(): Promise<void> {
    if (this.#server) return;
    const server = createServer({ allowHalfOpen: true }, (client) => this.#link(client));
    this.#server = server;
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
  }

  /** Buffers the server's bytes, which count as sent on its side. */
  bufferDown(): void {
    this.#down.stopped = true;
  }

  releaseDown(): void {
    this.#down.stopped = false;
    this.#flow();
  }

  bufferUp(): void {
    this.#up.stopped = true;
  }

  releaseUp(): void {
    this.#up.stopped = false;
    this.#flow();
  }

  /** Resolves as soon as `wanted` is true of the bytes that wait on one link's way down. */
  untilBufferedDown(wanted: (waiting: Buffer) => boolean = (waiting) => waiting.length > 0): Promise<void> {
    return this.#until(({ down }) => wanted(down.waiting()));
  }

  /** The same for one link's way up. */
  untilBufferedUp(wanted: (waiting: Buffer) => boolean = (waiting) => waiting.length > 0): Promise<void> {
    return this.#until(({ up }) => wanted(up.waiting()));
  }

  /** Resolves as soon as a link has lost bytes to `drop`. */
  untilLossy(): Promise<void> {
    return this.#until(({ up, down }) => up.lossy || down.lossy);
  }

  /** Each byte arrives that much later, both ways. */
  delay(ms: number): void {
    this.#up.delayMs = this.#down.delayMs = ms;
  }

  throttle(bytesPerSecond: number): void {
    this.#up.bytesPerSecond = this.#down.bytesPerSecond = bytesPerSecond;
  }

  /** Drops bytes both ways without an error: the half-open link of a phone that left the cell. */
  drop(): void {
    this.#up.dropping = this.#down.dropping = true;
  }

  async stop(): Promise<void> {
    const closed = this.#server && once(this.#server, 'close');
    this.refuse();
    const open = [...this.#links].flatMap(({ client, target }) => [client, target]).filter((socket) => !socket.closed);
    const ended = open.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
    this.cut();
    await Promise.all([closed, ...ended]);
  }

  #link(client: Socket): void {
    const target = connect({ host: '127.0.0.1', port: this.#targetPort, allowHalfOpen: true });
    const onProgress = () => this.#watchers.forEach((poll) => poll());
    const link: Link = {
      client,
      target,
      up: new LinkDirection(client, target, this.#up, onProgress),
      down: new LinkDirection(target, client, this.#down, onProgress),
    };
    this.#links.add(link);
    for (const socket of [client, target]) {
      socket.setNoDelay(true);
      socket.on('error', () => destroy(link));
      socket.on('close', () => {
        if (client.destroyed && target.destroyed && this.#links.delete(link)) this.#endedBytesUp += target.bytesWritten;
      });
    }
  }

  #until(isSo: (link: Link) => boolean): Promise<void> {
    const wait = new Promise<void>((resolve) => {
      const poll = () => {
        if (![...this.#links].some(isSo)) return;
        this.#watchers.delete(poll);
        resolve();
      };
      this.#watchers.add(poll);
      poll();
    });
    return listed(wait, () => ({ links: this.#links.size }));
  }

  #flow(): void {
    for (const { up, down } of this.#links) {
      up.flow();
      down.flow();
    }
  }
}

function normalConditions(): LinkConditions {
  return { stopped: false, dropping: false, delayMs: 0, bytesPerSecond: Infinity };
}

/** A reset, as by a router that has lost the link: the other side detects it at once. */
function destroy({ client, target }: Link): void {
  for (const socket of [client, target]) {
    // A socket in shutdown accepts no reset (libuv's EINVAL): the handle would stay open for ever.
    if (socket.writableEnded && !socket.writableFinished) socket.destroy();
    else socket.resetAndDestroy();
  }
}
