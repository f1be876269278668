import type { Environment, Socket } from '../environment.ts';
import { HttpSocket } from './http-socket.ts';
import type { Timing } from './machine.ts';

/** Sockets in a row that said nothing, before plain HTTP is tried: one may have met a server that was just starting. */
const enoughSilence = 2;
/** The longest time from one look whether sockets pass again to the next; it doubles each time. */
const lastLookMs = 300_000;

/**
 * Opens lines to one server: a socket; where sockets say nothing, plain HTTP, in turns, until one of both works. While
 * HTTP carries the traffic, a socket is tried now and then; when one is answered, every line goes back to sockets.
 */
export class Lines {
  readonly #environment: Environment;
  readonly #overHttp = new Set<HttpSocket>();
  readonly #timing: Timing;
  #silent = 0;
  #stopLooking: (() => void) | undefined;

  constructor(environment: Environment, timing: Timing) {
    this.#environment = environment;
    this.#timing = timing;
  }

  /** @param url `https://…/api/sync`. Throws as the constructor of WebSocket does. */
  open(url: string): Socket {
    if (this.#silent < enoughSilence) return this.#openSocket(url);
    this.#silent--;
    return this.#openHttp(url);
  }

  #openSocket(url: string): Socket {
    const socket = new this.#environment.WebSocket(socketUrl(url));
    let isOver = false;
    socket.addEventListener('message', () => {
      isOver = true;
      this.#silent = 0;
    });
    const over = (): void => {
      if (!isOver) this.#silent++;
      isOver = true;
    };
    socket.addEventListener('close', over);
    socket.addEventListener('error', over);
    return socket;
  }

  #openHttp(url: string): Socket {
    const line = new HttpSocket(url, this.#environment.fetch);
    line.addEventListener('message', () => {
      // It works: the next one is of its kind, too.
      this.#silent = enoughSilence;
      this.#overHttp.add(line);
      this.#lookForSockets(url, this.#timing.socketAgainMs);
    });
    line.addEventListener('close', () => {
      this.#overHttp.delete(line);
      if (this.#overHttp.size === 0) this.#stopLooking?.();
    });
    return line;
  }

  #lookForSockets(url: string, waitMs: number): void {
    if (this.#stopLooking) return;
    const stop = this.#environment.clock.after(waitMs, () => {
      this.#stopLooking = this.#look(url, Math.min(2 * waitMs, lastLookMs));
    });
    this.#stopLooking = () => {
      stop();
      this.#stopLooking = undefined;
    };
  }

  /** A handshake proves little: some networks let it pass and no frame after it. */
  #look(url: string, nextMs: number): () => void {
    const socket = new this.#environment.WebSocket(socketUrl(url));
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
      this.#silent = 0;
      for (const line of this.#overHttp) line.close();
    };
    const stopTimer = this.#environment.clock.after(this.#timing.openMs, () => end(false));
    socket.addEventListener('open', () => socket.send('{"type":"ping"}'));
    socket.addEventListener('message', () => end(true));
    socket.addEventListener('close', () => end(false));
    socket.addEventListener('error', () => end(false));
    return stop;
  }
}

const socketUrl = (url: string): string => url.replace(/^http/, 'ws');
