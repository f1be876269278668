import type { Socket } from '../platform/environment.ts';
import type { HttpDeps, HttpTransport } from './http-transport.ts';

/** Sockets in a row that said nothing, before plain HTTP is tried: one may have met a server that was just starting. */
const enoughSilence = 2;

/**
 * Opens lines to one server: a socket; where sockets say nothing, one that goes on over plain HTTP if the next socket is
 * silent, too. A dead zone silences both: what sockets did not say there counts for nothing.
 */
export class Transport {
  readonly #deps: Pick<HttpDeps, 'environment' | 'timing'>;
  #silent = 0;
  /** The last line over HTTP was answered, and no socket since. */
  #httpWorks = false;
  #http: HttpTransport | undefined;

  constructor(deps: Pick<HttpDeps, 'environment' | 'timing'>) {
    this.#deps = deps;
    void this.#loadHttp();
  }

  /** @param url `https://…/api/sync`. Throws as the constructor of WebSocket does. */
  open(url: string): Socket {
    if (this.#silent < enoughSilence || !this.#http) return this.#openSocket(url);
    return this.#httpWorks ? this.#http.open(url) : this.#http.try(url);
  }

  /** The network or the person may be back. */
  woken(): void {
    if (!this.#httpWorks) this.#silent = 0;
  }

  #openSocket(url: string): Socket {
    let isOver = false;
    const over = (): void => {
      if (!isOver) this.#silent = Math.min(this.#silent + 1, enoughSilence);
      isOver = true;
    };
    let socket: Socket;
    try {
      socket = new this.#deps.environment.WebSocket(socketUrl(url));
    } catch (error) {
      // A platform without sockets, or a page whose policy forbids them.
      over();
      throw error;
    }
    socket.addEventListener('message', () => {
      isOver = true;
      this.#prefer(false);
    });
    socket.addEventListener('close', over);
    socket.addEventListener('error', over);
    return socket;
  }

  #prefer(http: boolean): void {
    this.#httpWorks = http;
    this.#silent = http ? enoughSilence : 0;
  }

  /**
   * Behind the start, not before it, and while the page's own files can be had: a file that Chromium failed to fetch once
   * it does not ask for again before the page is opened anew.
   */
  async #loadHttp(): Promise<void> {
    try {
      const { HttpTransport } = await import('./http-transport.ts');
      this.#http = new HttpTransport({
        ...this.#deps,
        socketUrl,
        // The next one is of its kind, too.
        prefer: (http) => this.#prefer(http),
      });
    } catch {
      // Sockets alone, until the app is opened again.
    }
  }
}

const socketUrl = (url: string): string => url.replace(/^http/, 'ws');
