import type { Environment, Socket, SocketEvent } from '../platform/environment.ts';
import { HttpSocket } from './http-socket.ts';
import type { Timing } from './machine.ts';

/** The longest time from one look whether sockets pass again to the next; it doubles each time. */
const lastLookMs = 300_000;

export interface HttpDeps {
  readonly environment: Environment;
  readonly timing: Timing;
  /** The address of sockets, of the server's sync address. */
  readonly socketUrl: (url: string) => string;
  /** Told whether the next line is to go over HTTP: it was answered, and no socket since. */
  readonly prefer: (http: boolean) => void;
}

/**
 * Transport over plain HTTP, for networks that block sockets. While one of them carries the traffic, a socket is tried now
 * and then; when one is answered, every line goes back to sockets. Few phones ever need it.
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

  /** A socket, once it has answered; where it does not, HTTP. */
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
   * Opens a socket, and tells it once it has answered, or undefined. A handshake proves little: some networks let it pass
   * and no frame after it. Returns the way to stop.
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
    // The connection waits for so long, and HTTP wants to be tried within.
    const stopTimer = environment.clock.after(timing.openMs / 2, () => end());
    const over = (): void => end();
    try {
      const opened = new environment.WebSocket(socketUrl(url));
      socket = opened;
      opened.addEventListener('open', () => opened.send('{"type":"ping"}'));
      // Not in the same breath: what this message answers was asked here.
      opened.addEventListener('message', () => queueMicrotask(() => end(opened)));
      opened.addEventListener('close', over);
      opened.addEventListener('error', over);
    } catch {
      // A platform without sockets. Not in the same breath: whoever asks has no line yet.
      queueMicrotask(over);
    }
    return () => {
      if (!isOver) socket?.close();
      stop();
    };
  }
}

/** A line that is a socket, or goes over HTTP where no socket answers. */
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

  /** @param socket one that has answered, open by now */
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
