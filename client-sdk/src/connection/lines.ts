import type { Socket } from '../environment.ts';
import type { HttpGround, HttpLines } from './http-lines.ts';

/** Sockets in a row that said nothing, before plain HTTP is tried: one may have met a server that was just starting. */
const enoughSilence = 2;

/** Opens lines to one server: a socket; where sockets say nothing, plain HTTP, in turns, until one of both works. */
export class Lines {
  readonly #ground: Pick<HttpGround, 'environment' | 'timing'>;
  #silent = 0;
  #http: HttpLines | undefined;

  constructor(ground: Pick<HttpGround, 'environment' | 'timing'>) {
    this.#ground = ground;
    void this.#loadHttp();
  }

  /** @param url `https://…/api/sync`. Throws as the constructor of WebSocket does. */
  open(url: string): Socket {
    if (this.#silent < enoughSilence || !this.#http) return this.#openSocket(url);
    this.#silent--;
    return this.#http.open(url);
  }

  #openSocket(url: string): Socket {
    let isOver = false;
    const over = (): void => {
      if (!isOver) this.#silent = Math.min(this.#silent + 1, enoughSilence);
      isOver = true;
    };
    let socket: Socket;
    try {
      socket = new this.#ground.environment.WebSocket(socketUrl(url));
    } catch (error) {
      // A platform without sockets, or a page whose policy forbids them.
      over();
      throw error;
    }
    socket.addEventListener('message', () => {
      isOver = true;
      this.#silent = 0;
    });
    socket.addEventListener('close', over);
    socket.addEventListener('error', over);
    return socket;
  }

  /**
   * Behind the start, not before it, and while the page's own files can be had: a file that Chromium failed to fetch once
   * it does not ask for again before the page is opened anew.
   */
  async #loadHttp(): Promise<void> {
    try {
      const { HttpLines } = await import('./http-lines.ts');
      this.#http = new HttpLines({
        ...this.#ground,
        socketUrl,
        // The next one is of its kind, too.
        works: () => (this.#silent = enoughSilence),
        socketsPass: () => (this.#silent = 0),
      });
    } catch {
      // Sockets alone, until the app is opened again.
    }
  }
}

const socketUrl = (url: string): string => url.replace(/^http/, 'ws');
