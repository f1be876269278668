import type { ClientFrameInput, ErrorCode, ReceivedFrame } from '@tailgate/sync-protocol';
import { canonicalJson, receivedFrame } from '@tailgate/sync-protocol';
import type { Environment, Socket, SocketEvent } from '../platform/environment.ts';
import type { Transport } from './transport.ts';
import type { Event, State, Timing } from './machine.ts';
import { step } from './machine.ts';

type Hello = Extract<ClientFrameInput, { type: 'hello' }>;
type Ping = Extract<ClientFrameInput, { type: 'ping' }>;

export interface ConnectionListener {
  /** The hello with the current credentials. */
  hello(): Hello;
  ping(): Ping;
  /**
   * The server has answered a frame that was sent at `askedAt` (ms, monotonic); `serverTime` is empty where the answer
   * has none.
   */
  timed(askedAt: number, serverTime: string): void;
  /** A frame of the server, in order; pings and pongs are handled here. */
  receive(frame: ReceivedFrame): void;
  /** The machine changed its state; a live connection ended where `before` was live and `state` is not. */
  stateChanged(state: State, before: State): void;
}

/**
 * The event that a rejection causes. The client renews invalid credentials and a queue of another driver. Any other
 * code, unknown ones included, may be temporary: asking again is safer than waiting for ever.
 */
function afterRejection(code: string, retryAfterMs: number | undefined): Event {
  if (code === ('CLIENT_REVOKED' satisfies ErrorCode)) return { is: 'barred' };
  return code === ('UNSUPPORTED_PROTOCOL' satisfies ErrorCode) ? { is: 'outdated' } : { is: 'closed', retryAfterMs };
}

export interface ConnectionDeps {
  /** The server, without `/api`. */
  readonly url: string;
  readonly transport: Transport;
  readonly environment: Environment;
  readonly timing: Timing;
  readonly engine: { trouble(code: string, message: string): void };
}

/** Opens one socket after another: carries out the actions of the machine's states, and passes events to it. */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #listener: ConnectionListener;
  state: State = { at: 'resting' };
  #socket: Socket | undefined;
  #stopTimer: () => void = () => {};
  /** Send times of hello and pings without an answer. The server answers them in order. */
  #requestTimes: number[] = [];

  constructor(deps: ConnectionDeps, listener: ConnectionListener) {
    this.#deps = deps;
    this.#listener = listener;
  }

  send(frame: ClientFrameInput): void {
    // A socket that has just broken throws or drops the frame; the machine notices by its close or its silence.
    try {
      this.#socket?.send(canonicalJson(frame));
    } catch {
      // Deferred: the machine may be in the middle of a step.
      queueMicrotask(() => this.handle({ is: 'closed' }));
    }
  }

  handle(event: Event): void {
    const { timing, environment } = this.#deps;
    const before = this.state;
    const state = step(before, event, timing, environment.random.fraction());
    if (state === before) return;
    this.state = state;
    this.#stopTimer();
    if ('forMs' in state) this.#stopTimer = environment.clock.after(state.forMs, () => this.handle({ is: 'time' }));
    this.#begin(state);
    this.#listener.stateChanged(state, before);
  }

  #begin(state: State): void {
    switch (state.at) {
      case 'opening':
        this.#close();
        return this.#open();
      case 'greeting':
        return this.#ask(this.#listener.hello());
      case 'live':
        if (state.awaitsPong) this.#ask(this.#listener.ping());
        return;
      default:
        this.#close();
    }
  }

  #ask(frame: Hello | Ping): void {
    this.#requestTimes.push(this.#deps.environment.clock.monotonic());
    this.send(frame);
  }

  #open(): void {
    const { transport, url } = this.#deps;
    this.#requestTimes = [];
    let socket: Socket;
    try {
      socket = transport.open(`${url}/api/sync`);
    } catch (error) {
      queueMicrotask(() => this.handle({ is: 'closed' }));
      return this.#reportBadFrame(`cannot open ${url}: ${String(error)}`);
    }
    this.#socket = socket;
    // Ignores events of a socket that the connection has let go.
    const on = (type: string, listener: (event: SocketEvent) => void): void =>
      socket.addEventListener(type, (event) => {
        if (this.#socket === socket) listener(event);
      });
    const onClosed = (): void => {
      this.#socket = undefined;
      this.handle({ is: 'closed' });
    };
    on('open', () => this.handle({ is: 'opened' }));
    on('message', (event) => this.#receive(event.data));
    on('close', onClosed);
    on('error', onClosed);
  }

  #close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(1000);
  }

  #receive(data: unknown): void {
    this.handle({ is: 'received' });
    const frame = this.#read(data);
    if (!frame) return;
    switch (frame.type) {
      case 'ping':
        return this.send({ type: 'pong' });
      case 'pong':
        return this.#answered(frame.server_time);
      case 'goodbye':
        return this.handle({ is: 'closed', retryAfterMs: frame.retry_after_ms });
      case 'welcome':
        this.#answered(frame.server_time);
        this.handle({ is: 'welcomed', pingMs: frame.limits.ping_ms });
        break;
      case 'reject':
        this.handle(afterRejection(frame.code, frame.retry_after_ms));
        break;
      default:
    }
    this.#listener.receive(frame);
  }

  #answered(serverTime = ''): void {
    const askedAt = this.#requestTimes.shift();
    if (askedAt !== undefined) this.#listener.timed(askedAt, serverTime);
  }

  /** Reports a fault of either side for the logs. */
  #reportBadFrame(message: string): void {
    this.#deps.engine.trouble('BAD_FRAME', message);
  }

  #read(data: unknown): ReceivedFrame | undefined {
    let json: unknown;
    try {
      json = JSON.parse(String(data));
    } catch {
      // Not a frame.
    }
    const { data: frame, error } = receivedFrame.safeParse(json);
    if (frame) return frame;
    // Unknown types are frames of a later protocol, or timers: ignored without a fault, as in the header of a route.
    const [issue] = error.issues;
    if (issue?.path[0] !== 'type') this.#reportBadFrame(`malformed frame (${issue?.path.join('.')})`);
    return undefined;
  }
}
