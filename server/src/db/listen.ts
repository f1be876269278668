import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../runtime/log.ts';
import { StartError } from '../runtime/start-error.ts';
import { cellSuffix } from './cell.ts';

type NotifyHandler = (payload: string) => void;

export interface ListenOptions {
  /** A direct session: behind a transaction pooler LISTEN succeeds, but no notification arrives. */
  url: string;
  log: Log;
  random?: () => number;
  /** The period of notifications to itself, which show that others would arrive. */
  probeEveryMs?: number;
  /** The limit for a connection, a statement, and a notification to itself. */
  answerTimeoutMs?: number;
}

const PROBE_EVERY_MS = 20_000;
const ANSWER_TIMEOUT_MS = 5_000;
const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 5_000;

/** Connects, and verifies with a notification to itself that notifications arrive. */
export async function startListener(options: ListenOptions): Promise<Listener> {
  const listener = new Listener(options);
  await listener.start();
  return listener;
}

/**
 * One LISTEN session that reconnects. A notification is a hint and can be lost while the session is down: `onReconnect`
 * handlers then read again.
 *
 *   start ──► listening ──session breaks or stays silent──► waiting (jittered backoff) ──► listening, onReconnect
 *                 └──────────────────────────── stop ────────────────┴──► stopped
 */
export class Listener {
  readonly #options: ListenOptions;
  readonly #handlers = new Map<string, Set<NotifyHandler>>();
  readonly #held = new Set<string>();
  readonly #reconnectHandlers = new Set<() => void>();
  readonly #probeChannel = `tailgate_probe_${randomBytes(6).toString('hex')}`;
  readonly #stopped = new AbortController();
  #session: Session | undefined;
  #probeTimer: NodeJS.Timeout | undefined;
  #reconnecting: Promise<void> = Promise.resolve();

  constructor(options: ListenOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#open();
  }

  /** Returns once the session listens to the channel, or at once while it reconnects. */
  async onNotify(channel: string, handler: NotifyHandler): Promise<void> {
    const known = this.#handlers.get(channel);
    this.#handlers.set(channel, (known ?? new Set()).add(handler));
    const session = this.#session;
    if (!known) await session?.listen(channel).catch(() => session.destroy());
  }

  /** Holds shared advisory locks of this cell, under these names, as long as there is a session. */
  async hold(names: readonly string[]): Promise<void> {
    for (const name of names) this.#held.add(name);
    const session = this.#session;
    await session?.hold(names).catch(() => session.destroy());
  }

  onReconnect(handler: () => void): void {
    this.#reconnectHandlers.add(handler);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#probeTimer);
    await this.#session?.close();
    await this.#reconnecting;
  }

  async #open(): Promise<void> {
    const { url, answerTimeoutMs = ANSWER_TIMEOUT_MS } = this.#options;
    const session = new Session(url, answerTimeoutMs, (channel, payload) => this.#deliver(channel, payload));
    try {
      await session.connect();
      await session.listen(this.#probeChannel);
      await session.probe(this.#probeChannel);
      // Last, and over the live map: it thus includes a channel that was added meanwhile.
      for (const channel of this.#handlers.keys()) await session.listen(channel);
      await session.hold([...this.#held]);
      if (this.#stopped.signal.aborted) throw new Error('stopped meanwhile');
    } catch (error) {
      await session.close();
      throw error;
    }
    this.#session = session;
    void session.closed.then(() => this.#lost());
    this.#probeLater(session);
  }

  #lost(): void {
    this.#session = undefined;
    clearTimeout(this.#probeTimer);
    if (this.#stopped.signal.aborted) return;
    this.#options.log.warn({}, 'the LISTEN session broke');
    this.#reconnecting = this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { log, random = Math.random } = this.#options;
    const { signal } = this.#stopped;
    for (let backoff = FIRST_BACKOFF_MS; !signal.aborted; backoff = Math.min(2 * backoff, LONGEST_BACKOFF_MS)) {
      // Many servers lose the same database at once. The jitter spreads their reconnects.
      await delay(backoff * (0.5 + random() / 2), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#open();
        log.info({}, 'the LISTEN session is back');
        for (const handler of this.#reconnectHandlers) this.#guard(handler);
        return;
      } catch (err) {
        log.debug({ err }, 'no LISTEN session yet');
      }
    }
  }

  /** A pooler or a firewall can drop an open connection without notice. Silence counts as broken. */
  #probeLater(session: Session): void {
    this.#probeTimer = setTimeout(() => {
      session.probe(this.#probeChannel).then(
        () => session === this.#session && this.#probeLater(session),
        () => session.destroy(),
      );
    }, this.#options.probeEveryMs ?? PROBE_EVERY_MS);
  }

  #deliver(channel: string, payload: string): void {
    for (const handler of this.#handlers.get(channel) ?? []) this.#guard(() => handler(payload));
  }

  #guard(handler: () => void): void {
    try {
      handler();
    } catch (err) {
      this.#options.log.error({ err }, 'a handler of a database notification failed');
    }
  }
}

/** One connection. It never reconnects; `closed` resolves when it has gone, for any reason. */
class Session {
  readonly closed: Promise<void>;
  readonly #socket = new Socket();
  readonly #client: pg.Client;
  readonly #probes = new Map<string, () => void>();
  readonly #answerTimeoutMs: number;
  /** The addition of the cell to each channel. */
  #suffix = '';

  constructor(url: string, answerTimeoutMs: number, deliver: (channel: string, payload: string) => void) {
    this.#answerTimeoutMs = answerTimeoutMs;
    this.#client = new pg.Client({
      connectionString: url,
      application_name: 'tailgate listen',
      stream: () => this.#socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: answerTimeoutMs,
      query_timeout: answerTimeoutMs,
    });
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()));
    // Every error also closes the socket, which `closed` reports. Without a listener the error would end the process.
    this.#client.on('error', () => undefined);
    this.#client.on('notification', ({ channel, payload = '' }) => {
      const probed = this.#probes.get(payload);
      if (probed) probed();
      else deliver(channel.slice(0, channel.length - this.#suffix.length), payload);
    });
  }

  async connect(): Promise<void> {
    await this.#client.connect();
    const { rows } = await this.#client.query<{ suffix: string }>(`select ${cellSuffix} as suffix`);
    this.#suffix = rows[0]?.suffix ?? '';
    // Other cells read it in the list of sessions.
    if (this.#suffix !== '')
      await this.#client.query(`select set_config('application_name', 'tailgate listen' || $1, false)`, [this.#suffix]);
  }

  async listen(channel: string): Promise<void> {
    await this.#client.query(`listen ${this.#client.escapeIdentifier(channel + this.#suffix)}`);
  }

  async hold(names: readonly string[]): Promise<void> {
    for (const name of names)
      await this.#client.query('select pg_advisory_lock_shared(hashtext($1), hashtext(current_schema()))', [name]);
  }

  async probe(channel: string): Promise<void> {
    const payload = randomBytes(9).toString('base64url');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#probes.set(payload, resolve);
    const timer = setTimeout(() => reject(silent()), this.#answerTimeoutMs);
    try {
      await Promise.all([promise, this.#client.query('select pg_notify($1, $2)', [channel + this.#suffix, payload])]);
    } finally {
      clearTimeout(timer);
      this.#probes.delete(payload);
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }

  async close(): Promise<void> {
    // Closes the session, and never waits for an unreachable peer.
    const timer = setTimeout(() => this.destroy(), 500);
    await this.#client.end().catch(() => undefined);
    clearTimeout(timer);
    this.destroy();
  }
}

function silent(): StartError {
  return new StartError(
    'DATABASE_LISTEN_URL: notifications do not arrive; point it straight at PostgreSQL, not at a transaction pooler',
  );
}
