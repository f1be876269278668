import type { Environment, Socket, SocketEvent } from '../platform/environment.ts';
import { HttpSocket } from './http-socket.ts';
import type { Timing } from './machine.ts';

/** The longest interval between two trials of a socket; it doubles each time. */
const longestProbeMs = 300_000;

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
  #stopProbing: (() => void) | undefined;

  constructor(deps: HttpDeps) {
    this.#deps = deps;
  }

  open(url: string): Socket {
    const { environment, timing, prefer } = this.#deps;
    const httpSocket = new HttpSocket(url, environment.fetch);
    let isAnswered = false;
    httpSocket.addEventListener('message', () => {
      isAnswered = true;
      prefer(true);
      this.#sockets.add(httpSocket);
      this.#scheduleProbe(url, timing.socketAgainMs);
    });
    httpSocket.addEventListener('close', () => {
      if (!isAnswered) prefer(false);
      this.#sockets.delete(httpSocket);
      if (this.#sockets.size === 0) this.#stopProbing?.();
    });
    return httpSocket;
  }

  /** Tries a socket first; HTTP where the socket gives no answer. */
  try(url: string): Socket {
    const trial = new TrialSocket(() => this.open(url));
    trial.end = this.#trySocket(url, (socket) => {
      if (socket) this.#deps.prefer(false);
      trial.take(socket);
    });
    return trial;
  }

  #scheduleProbe(url: string, waitMs: number): void {
    if (this.#stopProbing) return;
    const stop = this.#deps.environment.clock.after(waitMs, () => {
      this.#stopProbing = this.#probe(url, Math.min(2 * waitMs, longestProbeMs));
    });
    this.#stopProbing = () => {
      stop();
      this.#stopProbing = undefined;
    };
  }

  #probe(url: string, nextMs: number): () => void {
    const end = this.#trySocket(url, (socket) => {
      this.#stopProbing = undefined;
      if (!socket) return this.#scheduleProbe(url, nextMs);
      socket.close();
      this.#deps.prefer(false);
      for (const httpSocket of this.#sockets) httpSocket.close();
    });
    return () => {
      this.#stopProbing = undefined;
      end();
    };
  }

  /**
   * Opens a socket and passes it to the callback after its first answer, or undefined. A handshake alone proves little:
   * some networks let it pass and drop every later frame. Returns a function that cancels.
   */
  #trySocket(url: string, report: (socket: Socket | undefined) => void): () => void {
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
      report(answered);
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
  #chosen: Socket | undefined;
  #isClosed = false;

  constructor(http: () => Socket) {
    this.#http = http;
  }

  /** @param socket an open one that has answered */
  take(socket: Socket | undefined): void {
    if (this.#isClosed) return socket?.close();
    const chosen = socket ?? this.#http();
    this.#chosen = chosen;
    for (const [type, listener] of this.#listeners) {
      chosen.addEventListener(type, listener);
      if (socket && type === 'open') listener({ type });
    }
  }

  send(text: string): void {
    this.#chosen?.send(text);
  }

  close(code?: number): void {
    this.#isClosed = true;
    this.end();
    this.#chosen?.close(code);
  }

  addEventListener(type: string, listener: (event: SocketEvent) => void): void {
    this.#listeners.push([type, listener]);
  }
}
