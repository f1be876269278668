import type { Environment, Socket, SocketEvent } from '../platform/environment.ts';
import { HttpSocket } from './http-socket.ts';
import type { Timing } from './machine.ts';

/** The longest interval between two trials of a socket; it doubles each time. */
const lastLookMs = 300_000;

export interface HttpDeps {
  readonly environment: Environment;
  readonly timing: Timing;
  /** Converts the server's sync address into the socket's address. */
  readonly socketUrl: (url: string) => string;
  /** Sets whether the next connection uses HTTP: true after an answer over HTTP, false after one over a socket. */
  readonly prefer: (http: boolean) => void;
}

/**
 * Transport over plain HTTP, for networks that block sockets. It tries a socket from time to time. After a socket's
 * first answer, all connections return to sockets. Few phones need it.
 */
export class HttpTransport {
  readonly #deps: HttpDeps;
  readonly #sockets = new Set<HttpSocket>();
  #stopLooking: (() => void) | undefined;

  constructor(deps: HttpDeps) {
    this.#deps = deps;
  }

  open(url: string): Socket {
    const { environment, timing, prefer } = this.#deps;
    const line = new HttpSocket(url, environment.fetch);
    let isAnswered = false;
    line.addEventListener('message', () => {
      isAnswered = true;
      prefer(true);
      this.#sockets.add(line);
      this.#lookForSockets(url, timing.socketAgainMs);
    });
    line.addEventListener('close', () => {
      if (!isAnswered) prefer(false);
      this.#sockets.delete(line);
      if (this.#sockets.size === 0) this.#stopLooking?.();
    });
    return line;
  }

  /** Tries a socket first; HTTP where the socket gives no answer. */
  try(url: string): Socket {
    const line = new TrialSocket(() => this.open(url));
    line.end = this.#ask(url, (socket) => {
      if (socket) this.#deps.prefer(false);
      line.take(socket);
    });
    return line;
  }

  #lookForSockets(url: string, waitMs: number): void {
    if (this.#stopLooking) return;
    const stop = this.#deps.environment.clock.after(waitMs, () => {
      this.#stopLooking = this.#look(url, Math.min(2 * waitMs, lastLookMs));
    });
    this.#stopLooking = () => {
      stop();
      this.#stopLooking = undefined;
    };
  }

  #look(url: string, nextMs: number): () => void {
    const end = this.#ask(url, (socket) => {
      this.#stopLooking = undefined;
      if (!socket) return this.#lookForSockets(url, nextMs);
      socket.close();
      this.#deps.prefer(false);
      for (const line of this.#sockets) line.close();
    });
    return () => {
      this.#stopLooking = undefined;
      end();
    };
  }

  /**
   * Opens a socket and passes it to the callback after its first answer, or undefined. A handshake alone proves little:
   * some networks let it pass and drop every later frame. Returns a function that cancels.
   */
  #ask(url: string, tell: (socket: Socket | undefined) => void): () => void {
    const { environment, timing, socketUrl } = this.#deps;
    let isOver = false;
    let socket: Socket | undefined;
    const stop = (): void => {
      isOver = true;
      stopTimer();
    };
    const end = (answered?: Socket): void => {
      if (isOver) return;
      stop();
      if (!answered) socket?.close();
      tell(answered);
    };
    // Half of the connection's own limit: HTTP needs the rest.
    const stopTimer = environment.clock.after(timing.openMs / 2, () => end());
    const over = (): void => end();
    try {
      const opened = new environment.WebSocket(socketUrl(url));
      socket = opened;
      opened.addEventListener('open', () => opened.send('{"type":"ping"}'));
      // Deferred: the caller's listeners must not receive the answer to this trial.
      opened.addEventListener('message', () => queueMicrotask(() => end(opened)));
      opened.addEventListener('close', over);
      opened.addEventListener('error', over);
    } catch {
      // A platform without sockets. Deferred: the caller has no socket object yet.
      queueMicrotask(over);
    }
    return () => {
      if (!isOver) socket?.close();
      stop();
    };
  }
}

/** A socket, or HTTP where no socket gives an answer. */
class TrialSocket implements Socket {
  /** Ends the trial. */
  end: () => void = () => {};
  readonly #http: () => Socket;
  readonly #listeners: [type: string, listener: (event: SocketEvent) => void][] = [];
  #line: Socket | undefined;
  #isClosed = false;

  constructor(http: () => Socket) {
    this.#http = http;
  }

  /** @param socket an open one that has answered */
  take(socket: Socket | undefined): void {
    if (this.#isClosed) return socket?.close();
    const line = socket ?? this.#http();
    this.#line = line;
    for (const [type, listener] of this.#listeners) {
      line.addEventListener(type, listener);
      if (socket && type === 'open') listener({ type });
    }
  }

  send(text: string): void {
    this.#line?.send(text);
  }

  close(code?: number): void {
    this.#isClosed = true;
    this.end();
    this.#line?.close(code);
  }

  addEventListener(type: string, listener: (event: SocketEvent) => void): void {
    this.#listeners.push([type, listener]);
  }
}
