import type { Socket } from '../platform/environment.ts';
import type { HttpDeps, HttpTransport } from './http-transport.ts';

/** Silent sockets in a row before plain HTTP is tried. A single one may have met a server that was starting. */
const maxSilentSockets = 2;

/**
 * Opens connections to one server. After several silent sockets it tries one more, and then continues over plain HTTP.
 * A dead zone silences both: its failures do not count.
 */
export class Transport {
  readonly #deps: Pick<HttpDeps, 'environment' | 'timing'>;
  #silentSockets = 0;
  /** The last connection over HTTP was answered, and no socket since. */
  #httpWorks = false;
  #http: HttpTransport | undefined;

  constructor(deps: Pick<HttpDeps, 'environment' | 'timing'>) {
    this.#deps = deps;
    void this.#loadHttp();
  }

  /** @param url `https://…/api/sync`. Throws as the constructor of WebSocket does. */
  open(url: string): Socket {
    if (this.#silentSockets < maxSilentSockets || !this.#http) return this.#openSocket(url);
    return this.#httpWorks ? this.#http.open(url) : this.#http.try(url);
  }

  /** The network or the driver may be back. */
  networkMayBeBack(): void {
    if (!this.#httpWorks) this.#silentSockets = 0;
  }

  #openSocket(url: string): Socket {
    let isCounted = false;
    const countSilence = (): void => {
      if (!isCounted) this.#silentSockets = Math.min(this.#silentSockets + 1, maxSilentSockets);
      isCounted = true;
    };
    let socket: Socket;
    try {
      socket = new this.#deps.environment.WebSocket(socketUrl(url));
    } catch (error) {
      // A platform without sockets, or a page whose policy forbids them.
      countSilence();
      throw error;
    }
    socket.addEventListener('message', () => {
      isCounted = true;
      this.#prefer(false);
    });
    socket.addEventListener('close', countSilence);
    socket.addEventListener('error', countSilence);
    return socket;
  }

  #prefer(http: boolean): void {
    this.#httpWorks = http;
    this.#silentSockets = http ? maxSilentSockets : 0;
  }

  /**
   * Loads after the start, without delaying it, and while the page's own files are reachable. Chromium does not repeat
   * a failed import before the page is opened again.
   */
  async #loadHttp(): Promise<void> {
    try {
      const { HttpTransport } = await import('./http-transport.ts');
      this.#http = new HttpTransport({
        ...this.#deps,
        socketUrl,
        prefer: (http) => this.#prefer(http),
      });
    } catch {
      // Uses sockets alone until the app is opened again.
    }
  }
}

const socketUrl = (url: string): string => url.replace(/^http/, 'ws');
