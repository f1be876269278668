import { HostError } from '../host.ts';
import type { Db2Connection } from './db2-connection.ts';

/** A connection that has been still for longer is asked whether it lives before anybody builds on it. */
const TRUSTED_MS = 10_000;
/** Each connection is a process: what nobody needs is given back. */
const IDLE_MS = 60_000;

interface Waiting {
  resolve(line: Db2Connection): void;
  reject(error: unknown): void;
}

/** Up to `size` connections, opened as they are needed, the one that was used last given out first. */
export class Db2ConnectionPool {
  readonly #open: () => Promise<Db2Connection>;
  readonly #size: number;
  readonly #idle: Db2Connection[] = [];
  readonly #out = new Set<Db2Connection>();
  readonly #opening = new Set<Promise<unknown>>();
  readonly #queue: Waiting[] = [];
  readonly #sweep: NodeJS.Timeout;
  #closed = false;

  constructor(open: () => Promise<Db2Connection>, size: number) {
    this.#open = open;
    this.#size = size;
    this.#sweep = setInterval(() => this.#endIdle(), IDLE_MS / 2).unref();
  }

  async use<T>(work: (line: Db2Connection) => Promise<T>): Promise<T> {
    const line = await this.#take();
    try {
      return await work(line);
    } finally {
      this.#giveBack(line);
    }
  }

  /** Whatever is under way fails; no process is left. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    for (const waiting of this.#queue.splice(0)) waiting.reject(closedError());
    await Promise.all([...this.#idle, ...this.#out].map((line) => line.end()));
    await Promise.allSettled(this.#opening);
  }

  async #take(): Promise<Db2Connection> {
    for (let line = this.#idle.pop(); line; line = this.#idle.pop()) {
      this.#out.add(line);
      if (await this.#isAlive(line)) return line;
      this.#out.delete(line);
      await line.end();
    }
    if (this.#closed) throw closedError();
    if (this.#out.size + this.#opening.size < this.#size) return this.#openOne();
    return new Promise((resolve, reject) => this.#queue.push({ resolve, reject }));
  }

  async #openOne(): Promise<Db2Connection> {
    const opening = this.#open();
    this.#opening.add(opening);
    try {
      const line = await opening;
      this.#out.add(line);
      if (!this.#closed) return line;
      await line.end();
      throw closedError();
    } catch (error) {
      // Those who wait for a connection to come back might wait for ever: the next one tries for itself.
      this.#serveNext();
      throw error;
    } finally {
      this.#opening.delete(opening);
    }
  }

  async #isAlive(line: Db2Connection): Promise<boolean> {
    if (line.isLost) return false;
    if (performance.now() - line.usedAt < TRUSTED_MS) return true;
    return line.query('select IBMREQD from SYSIBM.SYSDUMMY1').then(
      () => true,
      () => false,
    );
  }

  #giveBack(line: Db2Connection): void {
    if (line.isLost || this.#closed) {
      this.#out.delete(line);
      this.#serveNext();
      return;
    }
    const next = this.#queue.shift();
    if (next) return next.resolve(line);
    this.#out.delete(line);
    this.#idle.push(line);
  }

  /** A connection has gone: whoever waits first tries to open another. */
  #serveNext(): void {
    const next = this.#closed ? undefined : this.#queue.shift();
    if (!next) return;
    this.#openOne().then(
      (line) => next.resolve(line),
      (error: unknown) => next.reject(error),
    );
  }

  #endIdle(): void {
    const now = performance.now();
    const stale = this.#idle.filter((line) => line.isLost || now - line.usedAt > IDLE_MS);
    for (const line of stale) {
      this.#idle.splice(this.#idle.indexOf(line), 1);
      void line.end();
    }
  }
}

function closedError(): HostError {
  return new HostError('08003', 'the connection to the host is closed');
}
