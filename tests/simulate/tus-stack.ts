import type { HttpRequest, HttpResponse, HttpStack } from 'tus-js-client';
import type { PhoneNetwork } from './network.ts';

/** Upload requests through the network of the phone. */
export function tusStack(network: PhoneNetwork, isAlive: () => boolean): HttpStack {
  return {
    createRequest: (method, url) => new TusRequest(method, url, network, isAlive),
    getName: () => 'simulated',
  };
}

class TusRequest implements HttpRequest {
  readonly #method: string;
  readonly #url: string;
  readonly #network: PhoneNetwork;
  readonly #isAlive: () => boolean;
  readonly #headers = new Headers();
  #isAborted = false;

  constructor(method: string, url: string, network: PhoneNetwork, isAlive: () => boolean) {
    this.#method = method;
    this.#url = url;
    this.#network = network;
    this.#isAlive = isAlive;
  }

  getMethod(): string {
    return this.#method;
  }

  getURL(): string {
    return this.#url;
  }

  setHeader(name: string, value: string): void {
    this.#headers.set(name, value);
  }

  getHeader(name: string): string | undefined {
    return this.#headers.get(name) ?? undefined;
  }

  /** A request that breaks has sent nothing, as far as this phone can see. */
  setProgressHandler(): void {
    // Never called.
  }

  async send(body: Uint8Array<ArrayBuffer> | null | undefined): Promise<HttpResponse> {
    const { pathname, search } = new URL(this.#url);
    const request = {
      method: this.#method,
      path: pathname + search,
      headers: Object.fromEntries(this.#headers),
      body: body ? Buffer.from(body) : undefined,
    };
    const response = await this.#network.request(() => this.#isAlive() && !this.#isAborted, request);
    const text = await response.text();
    return {
      getStatus: () => response.status,
      getHeader: (name) => response.headers.get(name) ?? undefined,
      getBody: () => text,
      getUnderlyingObject: () => response,
    };
  }

  async abort(): Promise<void> {
    this.#isAborted = true;
  }

  getUnderlyingObject(): undefined {
    return undefined;
  }
}
