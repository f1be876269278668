import type { Environment, Socket, SocketEvent } from '../platform/environment.ts';
import type { Hearing, ScriptedDesk } from './scripted-connections.ts';

/** The address of a scripted server without a port: no resolver accepts it (RFC 2606). */
export const unresolvableUrl = 'http://scripted.invalid';

/** A `fetch` that is answered in the same page, worker or process. */
export const fetchOf =
  (engine: ScriptedDesk): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const body = new Uint8Array(await request.arrayBuffer());
    return new Promise((resolve, reject) => {
      const cut = (): void => reject(new TypeError('the scripted server cut the request off'));
      request.signal.addEventListener('abort', () => reject(new DOMException('the request was aborted', 'AbortError')));
      if (request.signal.aborted) return reject(new DOMException('the request was aborted', 'AbortError'));
      const { method, url } = request;
      engine
        .answer({ method, url: new URL(url), headers: Object.fromEntries(request.headers), body }, cut)
        .then((answered) => {
          if (answered === undefined) return cut();
          const { status, headers = {}, body: content } = answered;
          const text = content === undefined || method === 'HEAD' ? null : JSON.stringify(content);
          return resolve(new Response(text, { status, headers }));
        }, reject);
    });
  };

/** Sockets that are answered in the same page, worker or process. Messages arrive asynchronously, as on a network. */
export const socketsOf = (engine: ScriptedDesk): Environment['WebSocket'] =>
  class implements Socket {
    readonly #listeners: { readonly type: string; readonly listener: (event: SocketEvent) => void }[] = [];
    #serverEnd: Hearing | undefined;
    #over = false;

    constructor(_url: string) {
      const end = (): void => this.#end();
      queueMicrotask(() => {
        if (this.#over) return;
        this.#emit('open');
        const send = (data: string): void => queueMicrotask(() => this.#emit('message', data));
        this.#serverEnd = engine.connect({ send, close: () => queueMicrotask(end), cut: end });
        if (this.#over) this.#serverEnd.closed();
      });
    }

    addEventListener(type: string, listener: (event: SocketEvent) => void): void {
      this.#listeners.push({ type, listener });
    }

    send(text: string): void {
      queueMicrotask(() => {
        if (!this.#over) this.#serverEnd?.hear(text);
      });
    }

    close(): void {
      queueMicrotask(() => this.#end());
    }

    #end(): void {
      if (this.#over) return;
      this.#over = true;
      this.#serverEnd?.closed();
      for (const { type, listener } of this.#listeners) if (type === 'close') listener({ type });
    }

    #emit(type: string, data?: string): void {
      if (this.#over) return;
      for (const each of this.#listeners) if (each.type === type) each.listener({ type, data });
    }
  };
