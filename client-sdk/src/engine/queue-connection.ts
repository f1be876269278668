import type {
  AssignedRoute,
  ClientFrameInput,
  Cursor,
  ReceivedFrame,
  Scope,
  WaitingFiles,
} from '@tailgate/sync-protocol';
import { currentProtocol } from '@tailgate/sync-protocol';
import type { ConnectionListener } from '../connection/connection.ts';
import { Connection } from '../connection/connection.ts';
import type { DeviceTime } from '../connection/device-time.ts';
import type { Transport } from '../connection/transport.ts';
import type { State, Timing } from '../connection/machine.ts';
import type { Environment } from '../platform/environment.ts';
import type { Outbox } from '../queue/outbox.ts';
import type { Queue } from '../queue/queue.ts';
import { firstPushBytes, Sender } from '../queue/sender.ts';
import { Feed } from '../replica/feed.ts';
import type { Replica } from '../replica/replica.ts';
import type { Account, Accounts } from '../session/accounts.ts';

/**
 * Credentials of a queue. A queue key permits less than a token, but works as long as the queue has changes to push.
 */
export type Credentials = { readonly api_token: string } | { readonly queue_key: string };

type Welcome = Extract<ReceivedFrame, { type: 'welcome' }>;
type SessionFrame = Extract<ReceivedFrame, { type: 'session' }>;

/** The engine's functions that a queue connection calls. */
export interface EngineApi {
  /** Undefined where this queue has nothing to send now, or no credentials to send it with. */
  credentials(queue: Queue): Credentials | undefined;
  /** The scopes that this queue's connection follows. */
  cursors(queue: Queue): Record<Scope, Cursor | null>;
  /** The signed-in driver, where this is their queue and they may read: its connection follows the feed. */
  followerOf(queue: Queue): Account | undefined;
  welcomed(queue: Queue, epoch: string): void;
  session(queue: Queue, frame: SessionFrame): void;
  rejected(queueConnection: QueueConnection, code: string, message: string, reason?: string): void;
  trouble(code: string, message: string): void;
  /** The server has answered changes. */
  changesAnswered(): void;
  /** The files of a driver that the server lacks; undefined without uploads. */
  readonly files?: (employee: string) => WaitingFiles;
  /** The state of a queue's connection has changed. */
  showStatus(): void;
}

export interface QueueConnectionDeps {
  readonly url: string;
  readonly transport: Transport;
  readonly environment: Environment;
  readonly timing: Timing;
  readonly accounts: Accounts;
  readonly outbox: Outbox;
  readonly replica: Replica;
  readonly time: DeviceTime;
  readonly device: string;
  readonly app: string;
  readonly engine: EngineApi;
}

/** The build's name in the hello. */
export const sdkName = 'tailgate-client-sdk/0.1.0';

/** One queue and its own connection. A queue never waits for the credentials or the faults of another. */
export class QueueConnection implements ConnectionListener {
  readonly #deps: QueueConnectionDeps;
  readonly #connection: Connection;
  queue: Queue;
  /** Present while the connection is live. */
  #sender: Sender | undefined;
  readonly #pace = { bytes: firstPushBytes };
  #feed: Feed | undefined;
  /** This connection, or an earlier one, has measured the server's time well enough. */
  #isTimed = false;
  /** The scopes of the last hello; the followed scopes may have changed since. */
  #follows: readonly Scope[] = [];
  /** The credentials of the current hello, as JSON. */
  #sentCredentials = '';

  constructor(queue: Queue, deps: QueueConnectionDeps) {
    this.queue = queue;
    this.#deps = deps;
    this.#connection = new Connection(deps, this);
  }

  get state(): State {
    return this.#connection.state;
  }

  /** Opens or ends the connection as the queue needs it, and sends waiting changes. */
  update(): void {
    const credentials = this.#deps.engine.credentials(this.queue);
    if (!credentials) return this.#connection.handle({ is: 'unwanted' });
    const sentCredentials = JSON.stringify(credentials);
    if (this.#sentCredentials !== sentCredentials) this.#connection.handle({ is: 'renewed' });
    this.#sentCredentials = sentCredentials;
    this.#connection.handle({ is: 'wanted' });
    this.#pump();
  }

  wake(): void {
    this.#connection.handle({ is: 'woken' });
  }

  /** The network works: a waiting connection tries immediately, a live one continues unchanged. */
  retryIfWaiting(): void {
    if (this.state.at === 'waiting') this.wake();
  }

  /** The server has this queue for another driver, or with other items: the items continue in a new queue. */
  fork(): void {
    this.queue = this.#deps.outbox.fork(this.queue);
    this.#connection.handle({ is: 'renewed' });
    this.update();
  }

  close(): void {
    this.#connection.handle({ is: 'unwanted' });
  }

  // ── ConnectionListener ─────────────────────────────────────────────────────────────────────────────────────────────

  hello(): Extract<ClientFrameInput, { type: 'hello' }> {
    const { device, app, engine } = this.#deps;
    const { client_id, employee, queue_key } = this.queue.head;
    const cursors = engine.cursors(this.queue);
    this.#follows = Object.keys(cursors);
    return {
      ...this.ping(),
      type: 'hello',
      protocol: currentProtocol,
      client_id,
      employee_id: employee,
      ...engine.credentials(this.queue),
      wants_queue_key: queue_key === null || undefined,
      device,
      app,
      sdk: sdkName,
      cursors,
    };
  }

  /** The device's clocks, and the queue's backlog for the office. */
  ping() {
    const { waiting, oldest, head } = this.queue;
    const { time, engine } = this.#deps;
    return {
      type: 'ping',
      clock: time.reading(),
      pending: waiting.size,
      oldest_pending_at: oldest,
      files: engine.files?.(head.employee),
    } as const;
  }

  stateChanged(state: State, before: State): void {
    if (state.at === before.at) return;
    if (before.at === 'live') {
      this.#sender?.end();
      this.#feed?.end();
      this.#sender = this.#feed = undefined;
    }
    this.#deps.engine.showStatus();
  }

  receive(frame: ReceivedFrame): void {
    const { outbox, replica, engine } = this.#deps;
    switch (frame.type) {
      case 'welcome':
        return this.#welcome(frame);
      case 'ack':
        outbox.settle(this.queue, frame.results, replica);
        engine.changesAnswered();
        if (frame.fork !== undefined) return this.fork();
        if (frame.wants !== undefined && !this.#reconcile(frame.wants - 1)) return;
        this.#sender?.acknowledged(frame);
        this.#pump();
        return;
      case 'error':
        this.#sender?.failed();
        return engine.trouble(frame.code, frame.message);
      case 'reject':
        return engine.rejected(this, frame.code, frame.message, frame.reason);
      case 'session':
        return engine.session(this.queue, frame);
      case 'routes':
        return this.#follow(frame.routes);
      case 'patch':
        this.#feed?.take(frame);
        return;
      case 'snapshot':
        return void this.#feed?.fetch(frame.scope);
      case 'gone':
        return this.#feed?.leave(frame.scope);
      default:
      // The connection handles the other frames.
    }
  }

  #welcome(frame: Welcome): void {
    const { outbox, engine, time } = this.#deps;
    if (frame.queue_key) outbox.setQueueKey(this.queue, frame.queue_key);
    if (!this.#reconcile(frame.last_seq, frame.epoch)) return;
    const deps = { ...this.#deps, connection: this.#connection, pace: this.#pace };
    this.#sender = new Sender(this.queue, frame.limits, deps);
    this.#isTimed = time.isSure;
    const account = engine.followerOf(this.queue);
    if (account) this.#feed = new Feed({ ...deps, account, follows: this.#follows });
    this.#follow(frame.routes);
    engine.welcomed(this.queue, frame.epoch);
    // A handler above may have ended this connection.
    this.#pump();
  }

  #follow(routes: AssignedRoute[]): void {
    if (!this.#feed) return;
    this.#deps.accounts.setRoutes(this.queue.head.employee, routes);
    this.#feed.follow(routes);
  }

  #pump(): void {
    if (this.#isTimed) void this.#sender?.pump();
  }

  /**
   * A hello that was delayed in a dead zone measures the time badly. Pushes then wait for the first pong, however long
   * it takes.
   */
  timed(askedAt: number, serverTime: string): void {
    this.#deps.time.take(askedAt, serverTime);
    this.#deps.engine.showStatus();
    if (!this.#sender || this.#isTimed) return;
    this.#isTimed = true;
    // The next ping reports the measured offset to the server.
    this.wake();
    this.#pump();
  }

  /** Reconciles the queue with the server's watermark; false where its items continue in a new queue. */
  #reconcile(lastSeq: number, epoch = this.queue.head.epoch): boolean {
    const { outbox, engine } = this.#deps;
    const missing = outbox.reconcile(this.queue, lastSeq, epoch);
    if (missing === 'fork') {
      this.fork();
      return false;
    }
    if (missing) {
      this.#connection.send({ type: 'gone', ...missing, reason: 'no longer on this device' });
      engine.trouble('GONE', `changes ${missing.from} to ${missing.to} are no longer on this device`);
    }
    return true;
  }
}
