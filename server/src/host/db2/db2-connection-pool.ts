import { HostError } from '../host.ts';
import type { Db2Connection } from './db2-connection.ts';

/** A connection that was idle for longer is checked before use. */
const TRUSTED_MS = 10_000;
/** Each connection is a process: idle ones are closed. */
const IDLE_MS = 60_000;

interface Waiting {
  resolve(connection: Db2Connection): void;
  reject(error: unknown): void;
}

/** Up to `size` connections, opened on demand, the last used one first. */
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

  async use<T>(work: (connection: Db2Connection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    try {
      return await work(connection);
    } finally {
      this.#release(connection);
    }
  }

  /** Work in progress fails; no process is left. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    for (const waiting of this.#queue.splice(0)) waiting.reject(closedError());
    await Promise.all([...this.#idle, ...this.#out].map((connection) => connection.end()));
    await Promise.allSettled(this.#opening);
  }

  async #acquire(): Promise<Db2Connection> {
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      this.#out.add(connection);
      if (await this.#isAlive(connection)) return connection;
      this.#out.delete(connection);
      await connection.end();
    }
    if (this.#closed) throw closedError();
    if (this.#out.size + this.#opening.size < this.#size) return this.#openOne();
    return new Promise((resolve, reject) => this.#queue.push({ resolve, reject }));
  }

  async #openOne(): Promise<Db2Connection> {
    const opening = this.#open();
    this.#opening.add(opening);
    try {
      const connection = await opening;
      this.#out.add(connection);
      if (!this.#closed) return connection;
      await connection.end();
      throw closedError();
    } catch (error) {
      // Waiting callers could wait for ever: the next one opens a connection itself.
      this.#serveNext();
      throw error;
    } finally {
      this.#opening.delete(opening);
    }
  }

  async #isAlive(connection: Db2Connection): Promise<boolean> {
    if (connection.isLost) return false;
    if (performance.now() - connection.usedAt < TRUSTED_MS) return true;
    return connection.query('select IBMREQD from SYSIBM.SYSDUMMY1').then(
      () => true,
      () => false,
    );
  }

  #release(connection: Db2Connection): void {
    if (connection.isLost || this.#closed) {
      this.#out.delete(connection);
      this.#serveNext();
      return;
    }
    const next = this.#queue.shift();
    if (next) return next.resolve(connection);
    this.#out.delete(connection);
    this.#idle.push(connection);
  }

  /** A connection is gone: the first waiting caller opens another. */
  #serveNext(): void {
    const next = this.#closed ? undefined : this.#queue.shift();
    if (!next) return;
    this.#openOne().then(
      (connection) => next.resolve(connection),
      (error: unknown) => next.reject(error),
    );
  }

  #endIdle(): void {
    const now = performance.now();
    const stale = this.#idle.filter((connection) => connection.isLost || now - connection.usedAt > IDLE_MS);
    for (const connection of stale) {
      this.#idle.splice(this.#idle.indexOf(connection), 1);
      void connection.end();
    }
  }
}

function closedError(): HostError {
  return new HostError('08003', 'the connection to the host is closed');
}
