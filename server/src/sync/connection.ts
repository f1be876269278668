import type { AssignedRoute, ErrorCode, HelloFrame, PingFrame, Scope, ServerFrameInput } from '@tailgate/sync-protocol';
import { clientScope } from '@tailgate/sync-protocol';
import type { WebSocket } from 'ws';
import { hashToken } from '../auth/tokens.ts';
import { isDatabaseUnavailable } from '../db/unavailable.ts';
import type { Queue } from '../mutations/change.ts';
import { MalformedPush } from '../mutations/item.ts';
import { UnknownQueue } from '../mutations/intake/pipeline.ts';
import { bootOf, clockOf } from './device-clock.ts';
import type { Follower } from './feed.ts';
import type { Connected, Hub } from './hub.ts';
import { lossTooLarge, broken, readFrame } from './incoming.ts';
import type { Effect, Session, SessionEvent } from './session-types.ts';
import { isBound, newSession, step } from './session.ts';

const text = { binary: false };

interface ReceivedFrame {
  readonly bytes: Buffer;
  readonly isBinary: boolean;
}
/** A tap has a kilobyte or two and must not wait. A larger frame contains many items. */
const LARGE_BYTES = 8 * 1024;

/** A phone's socket. It passes events to the session and performs the session's effects. */
export class Connection implements Connected {
  readonly follows = new Map<Scope, Follower>();
  readonly #hub: Hub;
  readonly #socket: WebSocket;
  #session: Session;
  #queue: Queue | undefined;
  #congested = false;
  #endSent = false;
  /** The session reads no more frames for now. */
  #paused = false;
  /** Frames that wait for capacity in the pipeline, in order. */
  readonly #received: ReceivedFrame[] = [];
  /** The routes as last sent, so that only changes are sent. */
  #routes = '';
  #tokenHash: Buffer | null = null;
  /** The run of the device's clock in the hello. The queue is tied to it where the hello has a token. */
  #bootId = '';

  constructor(hub: Hub, socket: WebSocket) {
    this.#hub = hub;
    this.#socket = socket;
    this.#session = newSession(hub.clock().getTime());
  }

  get employee(): string {
    return this.#queue?.employee ?? '';
  }

  get clientId(): string {
    return this.#queue?.clientId ?? '';
  }

  get tokenHash(): Buffer | null {
    return this.#tokenHash;
  }

  /** The server has accepted its hello. */
  get isKnown(): boolean {
    return isBound(this.#session);
  }

  received(bytes: Buffer, isBinary: boolean): void {
    // The client may send frames until it receives the close frame. The server drops them.
    if (this.#session.phase === 'closed') return;
    const isPush = bytes.length >= LARGE_BYTES && this.#session.phase !== 'greeting';
    if (this.#received.length > 0 || isPush) return this.#wait({ bytes, isBinary });
    this.#read(bytes, isBinary);
  }

  /** A client whose frames wait for the server is not silent. */
  tick(now: number): void {
    if (this.#received.length === 0) this.handle({ type: 'tick', now });
  }

  /**
   * A large frame is a push of many items. It stays unparsed until the pipeline has capacity for it, and the socket is
   * paused. So a storm of phones costs buffers and not objects.
   */
  #wait(receivedFrame: ReceivedFrame): void {
    this.#received.push(receivedFrame);
    if (this.#received.length > 1) return;
    this.#socket.pause();
    void this.#readWhenThereIsRoom();
  }

  async #readWhenThereIsRoom(): Promise<void> {
    await this.#hub.pipeline.waitForCapacity();
    for (const { bytes, isBinary } of this.#received.splice(0)) this.#read(bytes, isBinary);
    if (!this.#paused) this.#socket.resume();
  }

  #read(bytes: Buffer, isBinary: boolean): void {
    const now = this.#hub.clock().getTime();
    const max = this.#hub.limits.frame_bytes;
    if (isBinary) this.handle(broken([{ path: '', message: 'must be a text frame' }], now));
    else if (bytes.length <= max) this.handle(readFrame(bytes.toString(), now));
    else {
      const details = [{ path: '', message: `${bytes.length} bytes, at most ${max}` }];
      this.handle({ type: 'broken', code: 'FRAME_TOO_LARGE', details, now });
    }
  }

  /** The client exceeds the limits before the hello. The server reads none of its bytes any more. */
  cut(code: number, reason: string): void {
    this.#session = { phase: 'closed' };
    this.#socket.close(code, reason);
    this.#socket.pause();
  }

  handle(event: SessionEvent): void {
    const { session, effects } = step(this.#session, event, this.#hub.limits);
    this.#session = session;
    for (const effect of effects) this.#carryOut(effect);
  }

  deliver(frame: Buffer): boolean {
    const socket = this.#socket;
    if (this.#congested || socket.readyState !== socket.OPEN) return false;
    this.#write(frame);
    return true;
  }

  send(frame: ServerFrameInput): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#write(JSON.stringify(frame));
  }

  /** A client that sends requests and reads no answers is paused, too, because answers would pile up here. */
  #write(frame: Buffer | string): void {
    const socket = this.#socket;
    if (this.#congested || socket.bufferedAmount + frame.length <= this.#hub.limits.congested_bytes)
      return socket.send(frame, text);
    // The last patch for now. Its callback means that all earlier frames are written, too.
    this.#congested = true;
    socket.send(frame, text, () => this.#drained());
    // In a microtask, because the session may be in the middle of several effects.
    queueMicrotask(() => {
      if (this.#congested) this.handle({ type: 'congested', now: this.#hub.clock().getTime() });
    });
  }

  /** Sends the driver's routes where they have changed. */
  setRoutes(routes: readonly AssignedRoute[]): void {
    const now = JSON.stringify(routes);
    if (now === this.#routes) return;
    this.#routes = now;
    this.handle({ type: 'routes', routes });
  }

  /** Warns once, so that the driver can sign in while there is a network. */
  sessionEnds(inSeconds: number): void {
    if (this.#endSent) return;
    this.#endSent = true;
    this.handle({ type: 'expires', inSeconds });
  }

  /** The session has ended. The connection keeps the rights of a queue key. */
  sessionEnded(reason: string): void {
    this.#tokenHash = null;
    if (this.#queue) this.#queue = { ...this.#queue, byKey: true };
    this.handle({ type: 'revoked', reason });
  }

  #carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'send':
        return this.send(effect.frame);
      case 'open':
        return void this.#open(effect.hello);
      case 'push':
        return void this.#push(effect.items);
      case 'follow':
        return this.#hub.feed.follow(this, effect.scope, effect.cursor);
      case 'unfollow':
        return this.#hub.feed.unfollow(this, effect.scope);
      case 'leave':
        return this.#hub.feed.leave(this);
      case 'skip':
        return void this.#skip(effect.from, effect.to, effect.reason);
      case 'note':
        return this.#note(effect.report);
      case 'pause':
        this.#paused = true;
        return this.#socket.pause();
      case 'resume':
        this.#paused = false;
        return this.#received.length === 0 ? this.#socket.resume() : undefined;
      case 'close':
        this.#socket.resume(); // the other side's goodbye must be read
        return this.#socket.close(effect.code, effect.reason);
    }
  }

  async #open(hello: HelloFrame): Promise<void> {
    const hub = this.#hub;
    const serverNow = hub.clock();
    const { client_id: clientId } = hello;
    // Registered before the first query, so that a session that ends meanwhile finds this connection.
    const clock = clockOf(hello.clock, serverNow);
    this.#bootId = clock.bootId;
    const session = hello.api_token === undefined ? null : hashToken(hello.api_token);
    this.#queue = { session: {}, clientId, employee: hello.employee_id, clock, byKey: session === null };
    this.#tokenHash = session;
    hub.register(this);
    if (hub.hellosInProgress >= hub.limits.hellos_at_once) return this.#refuse('RATE_LIMITED');
    hub.hellosInProgress++;
    try {
      if (hello.api_token !== undefined && !(await hub.sessions.authenticate(hello.employee_id, hello.api_token)))
        return await this.#reject('INVALID_TOKEN', hello);
      const [client, { routes }] = await Promise.all([
        hub.openClient({ ...hello, session, boot: bootOf(clock) }),
        hello.queue_key === undefined ? hub.routesOf(hello.employee_id) : { routes: [] },
      ]);
      if (client.kind === 'refused') return await this.#reject(client.code, hello);
      this.#routes ||= JSON.stringify(routes);
      const now = hub.clock();
      const opened = {
        serverTime: now.toISOString(),
        epoch: String(hub.serverEpoch),
        lastSeq: client.lastSeq,
        queueKey: client.queueKey,
        routes,
      };
      this.handle({ type: 'opened', opened, now: now.getTime() });
    } catch (error) {
      this.#refuse(this.#passing(error, 'hello'));
    } finally {
      hub.hellosInProgress--;
    }
  }

  /** A phone whose session has ended reads why. */
  async #reject(code: ErrorCode, { employee_id: employee, api_token: token }: HelloFrame): Promise<void> {
    const isEnded = code === 'INVALID_TOKEN' && token !== undefined;
    const reason = isEnded ? await this.#hub.endOf(employee, token) : undefined;
    this.handle({ type: 'refused', code, reason });
  }

  /** Refuses for now, with a time for the next attempt: a whole depot may connect at once. */
  #refuse(code: ErrorCode): void {
    this.handle({ type: 'refused', code, retryAfterMs: this.#hub.retryAfterMs() });
  }

  async #push(items: readonly unknown[]): Promise<void> {
    const queue = this.#queue;
    if (!queue) return;
    try {
      const answer = await this.#hub.pipeline.push(queue, items);
      this.handle({ type: 'answered', answer, now: this.#hub.clock().getTime() });
      if (answer.results.some(({ result }) => result === 'quarantined'))
        this.#hub.feed.hint(clientScope(queue.clientId));
    } catch (error) {
      if (error instanceof UnknownQueue) return this.handle({ type: 'unbound' });
      const malformed = error instanceof MalformedPush;
      const code = malformed ? 'BAD_FRAME' : this.#passing(error, 'push');
      this.handle({
        type: 'unanswered',
        code,
        details: malformed ? error.details : [],
        now: this.#hub.clock().getTime(),
      });
    }
  }

  async #skip(from: number, to: number, reason: string): Promise<void> {
    try {
      const refused = await this.#hub.skipLost({ clientId: this.clientId, employee: this.employee, from, to, reason });
      const details = refused ? [lossTooLarge('to', refused.max)] : [];
      this.handle({ type: 'settled', details, now: this.#hub.clock().getTime() });
    } catch (error) {
      this.#passing(error, 'gone');
      this.handle({ type: 'unsettled' });
    }
  }

  #note(report: HelloFrame | PingFrame): void {
    const queue = this.#queue;
    if (!queue) return;
    const seenAt = this.#hub.clock();
    const { pending, oldest_pending_at, files } = report;
    const isTiedRun = report.clock !== undefined && report.clock.boot_id === this.#bootId;
    const seen = {
      pending,
      oldest_pending_at,
      files,
      seenAt,
      ...(isTiedRun && !queue.byKey && { clockReadAt: seenAt }),
    };
    if (report.type === 'hello') {
      const { device, sdk, app } = report;
      return this.#hub.deviceStatus.note(queue.clientId, { ...seen, device, sdk, app });
    }
    if (report.clock) this.#queue = { ...queue, clock: clockOf(report.clock, seenAt) };
    this.#hub.deviceStatus.note(queue.clientId, seen);
  }

  #drained(): void {
    this.#congested = false;
    this.handle({ type: 'drained', now: this.#hub.clock().getTime() });
    this.#hub.feed.drained(this);
  }

  /** The code of a temporary failure. An unexpected failure is logged. */
  #passing(error: unknown, frame: string): ErrorCode {
    if (isDatabaseUnavailable(error)) return 'DATABASE_UNAVAILABLE';
    this.#hub.log.error({ err: error, frame, client: this.clientId }, 'a frame could not be served');
    return 'INTERNAL';
  }
}
