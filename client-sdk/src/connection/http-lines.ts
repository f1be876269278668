import type { Environment, Socket } from '../environment.ts';
import { HttpSocket } from './http-socket.ts';
import type { Timing } from './machine.ts';

/** The longest time from one look whether sockets pass again to the next; it doubles each time. */
const lastLookMs = 300_000;

export interface HttpGround {
  readonly environment: Environment;
  readonly timing: Timing;
  /** The address of sockets, of the server's sync address. */
  readonly socketUrl: (url: string) => string;
  /** The server has answered over plain HTTP. */
  readonly works: () => void;
  /** The server has answered over a socket again: every line over HTTP is closed. */
  readonly socketsPass: () => void;
}

/**
 * Lines over plain HTTP, for networks that block sockets. While one of them carries the traffic, a socket is tried now
 * and then; when one is answered, every line goes back to sockets. Few phones ever need it.
 */
export class HttpLines {
  readonly #ground: HttpGround;
  readonly #lines = new Set<HttpSocket>();
  #stopLooking: (() => void) | undefined;

  constructor(ground: HttpGround) {
    this.#ground = ground;
  }

  open(url: string): Socket {
    const { environment, timing, works } = this.#ground;
    const line = new HttpSocket(url, environment.fetch);
    line.addEventListener('message', () => {
      works();
      this.#lines.add(line);
      this.#lookForSockets(url, timing.socketAgainMs);
    });
    line.addEventListener('close', () => {
      this.#lines.delete(line);
      if (this.#lines.size === 0) this.#stopLooking?.();
    });
    return line;
  }

  #lookForSockets(url: string, waitMs: number): void {
    if (this.#stopLooking) return;
    const stop = this.#ground.environment.clock.after(waitMs, () => {
      this.#stopLooking = this.#look(url, Math.min(2 * waitMs, lastLookMs));
    });
    this.#stopLooking = () => {
      stop();
      this.#stopLooking = undefined;
    };
  }

  /** A handshake proves little: some networks let it pass and no frame after it. */
  #look(url: string, nextMs: number): () => void {
    const { environment, timing, socketUrl, socketsPass } = this.#ground;
    let socket: Socket;
    try {
      socket = new environment.WebSocket(socketUrl(url));
    } catch {
      // What the platform does not make now it does not make later.
      return () => {};
    }
    let isOver = false;
    const stop = (): void => {
      isOver = true;
      this.#stopLooking = undefined;
      stopTimer();
      socket.close();
    };
    const end = (passes: boolean): void => {
      if (isOver) return;
      stop();
      if (!passes) return this.#lookForSockets(url, nextMs);
      socketsPass();
      for (const line of this.#lines) line.close();
    };
    const stopTimer = environment.clock.after(timing.openMs, () => end(false));
    socket.addEventListener('open', () => socket.send('{"type":"ping"}'));
    socket.addEventListener('message', () => end(true));
    socket.addEventListener('close', () => end(false));
    socket.addEventListener('error', () => end(false));
    return stop;
  }
}
