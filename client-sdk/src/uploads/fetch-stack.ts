import type { HttpRequest, HttpResponse, HttpStack } from 'tus-js-client';

/**
 * Sends uploads by `fetch`, as the option `httpStack` of `openUploads`: for service workers, which lack XMLHttpRequest,
 * and for apps with a `fetch` of their own. It reports progress only after each request.
 */
export const fetchStack = (send: typeof globalThis.fetch): HttpStack => ({
  getName: () => 'fetch',
  createRequest: (method, url) => new FetchRequest(send, method, url),
});

class FetchRequest implements HttpRequest {
  readonly #send: typeof globalThis.fetch;
  readonly #method: string;
  readonly #url: string;
  readonly #headers: Record<string, string> = {};
  readonly #abort = new AbortController();
  #progress: (bytesSent: number) => void = () => {};

  constructor(send: typeof globalThis.fetch, method: string, url: string) {
    this.#send = send;
    this.#method = method;
    this.#url = url;
  }

  getMethod(): string {
    return this.#method;
  }

  getURL(): string {
    return this.#url;
  }

  setHeader(header: string, value: string): void {
    this.#headers[header] = value;
  }

  getHeader(header: string): string | undefined {
    return this.#headers[header];
  }

  setProgressHandler(handler: (bytesSent: number) => void): void {
    this.#progress = handler;
  }

  async send(body: Uint8Array<ArrayBuffer> | null = null): Promise<HttpResponse> {
    const send = this.#send;
    const options = { method: this.#method, headers: this.#headers, body, signal: this.#abort.signal };
    const response = await send(this.#url, options);
    const text = await response.text();
    this.#progress(body?.length ?? 0);
    return {
      getStatus: () => response.status,
      getHeader: (header) => response.headers.get(header) ?? undefined,
      getBody: () => text,
      getUnderlyingObject: () => response,
    };
  }

  async abort(): Promise<void> {
    this.#abort.abort();
  }

  getUnderlyingObject(): undefined {
    return undefined;
  }
}
