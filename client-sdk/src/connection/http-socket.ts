import type { Cursor, Scope } from '@tailgate/sync-protocol';
import type { Environment, Socket, SocketEvent } from '../platform/environment.ts';
import { anything, exactly, fields, listOf, nullable, number, optional, record, text } from '../platform/reading.ts';

// The fields of answers that this file reads. The connection checks the frames inside them.
const isPullAnswer = fields({
  epoch: text,
  frames: listOf(record),
  routes: listOf(anything),
  server_time: optional(text),
});
const isRefusal = fields({ error: fields({ code: text }), message: text });
const isPatch = fields({ type: exactly('patch'), scope: text, epoch: text, to: number });
const endsScope = fields({ type: exactly('gone', 'snapshot'), scope: text });

const isFrame = fields({ type: text });
const isHello = fields({ type: exactly('hello'), employee_id: text, client_id: text, cursors: record });
const isPoll = fields({ type: exactly('ping', 'subscribe') });
const isUnsubscribe = fields({ type: exactly('unsubscribe'), scopes: listOf(text) });
const isCursor = nullable(fields({ epoch: text, version: number }));

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/**
 * The exchange over plain HTTP with the interface of a socket. Each push is a request. Each ping polls the followed
 * scopes, so the machine's ping interval is the polling interval.
 */
export class HttpSocket implements Socket {
  readonly #url: string;
  readonly #fetch: Environment['fetch'];
  readonly #listeners: { readonly type: string; readonly listener: (event: SocketEvent) => void }[] = [];
  readonly #abort = new AbortController();
  readonly #cursors = new Map<Scope, Cursor | null>();
  #headers: Record<string, string> = {};
  /** The hello's fields; each push repeats them. */
  #hello: Record<string, unknown> = {};
  #epoch = '';
  #routes = '';
  /** One push after the other, and one poll after the other: answers arrive in the order of their requests. */
  #pushes: Promise<void> = Promise.resolve();
  #polls: Promise<void> = Promise.resolve();

  /** @param url the server's sync address, `https://…/api/sync` */
  constructor(url: string, fetch: Environment['fetch']) {
    this.#url = url;
    this.#fetch = fetch;
    queueMicrotask(() => this.#emit('open'));
  }

  addEventListener(type: string, listener: (event: SocketEvent) => void): void {
    this.#listeners.push({ type, listener });
  }

  send(message: string): void {
    const frame: unknown = JSON.parse(message);
    if (isPoll(frame)) {
      // Pushes carry clocks and backlog of the latest ping; those of the hello are too old.
      Object.assign(this.#hello, frame);
      // Polls do not wait for pushes: a slow push must not make the connection look broken.
      this.#polls = this.#polls.then(() => this.#follow(frame));
    } else this.#pushes = this.#pushes.then(() => this.#take(frame));
  }

  close(): void {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    this.#emit('close');
  }

  async #take(frame: unknown): Promise<void> {
    if (isHello(frame)) return this.#greet(frame);
    if (isUnsubscribe(frame)) for (const scope of frame.scopes) this.#cursors.delete(scope);
    if (!isFrame(frame)) return;
    const { type, ...content } = frame;
    if (type === 'push') return this.#push(content);
    if (type === 'gone') return this.#push({ mutations: [], gone: content });
  }

  #follow(frame: { type: string; cursors?: unknown }): Promise<void> {
    if (frame.type === 'ping') return this.#poll([...this.#cursors.keys()], true);
    const scopes = this.#setCursors(frame.cursors);
    return this.#poll(scopes, false);
  }

  #setCursors(cursors: unknown): Scope[] {
    const entries = record(cursors) ? Object.entries(cursors) : [];
    for (const [scope, cursor] of entries) if (isCursor(cursor)) this.#cursors.set(scope, cursor);
    return entries.map(([scope]) => scope);
  }

  async #greet({ employee_id, cursors, ...frame }: { employee_id: string; cursors: Record<string, unknown> }) {
    const { api_token, queue_key, ...hello }: Record<string, unknown> = frame;
    const credentials = { api_token, queue_key };
    this.#headers = { employee_id, 'content-type': 'application/json' };
    for (const [name, value] of Object.entries(credentials)) if (text(value)) this.#headers[name] = value;
    this.#hello = hello;
    const scopes = this.#setCursors(cursors);
    const welcome = await this.#ask('/push', { ...hello, mutations: [] });
    // The server issues the key once.
    delete this.#hello['wants_queue_key'];
    if (!welcome) return;
    if (welcome.status !== 200) return this.#reject(welcome);
    const pulled = await this.#pull(scopes);
    if (pulled?.status !== 200 || !isPullAnswer(pulled.body)) return this.close();
    this.#epoch = pulled.body.epoch;
    // The server was restored between the two answers: the welcome is of its lost state.
    if (!this.#isSameEpoch(welcome)) return this.close();
    this.#routes = JSON.stringify(pulled.body.routes);
    this.#receive({ ...welcome.body, type: 'welcome', routes: pulled.body.routes });
    for (const each of pulled.body.frames) this.#receive(each);
  }

  async #push(content: Record<string, unknown>): Promise<void> {
    const answer = await this.#ask('/push', { ...this.#hello, ...content });
    if (!answer) return;
    if (answer.status === 200)
      return this.#isSameEpoch(answer) ? this.#receive({ ...answer.body, type: 'ack' }) : this.close();
    if (answer.status === 401) return this.#end(answer);
    const code = isRefusal(answer.body) ? answer.body.error.code : 'INTERNAL';
    // Each push repeats the hello: the server may have been rolled back since the last one.
    if (code === 'UNSUPPORTED_PROTOCOL') return this.#reject(answer);
    const message = isRefusal(answer.body) ? answer.body.message : `status ${answer.status}`;
    this.#receive({ type: 'error', code, message });
  }

  /** Polls the scopes. @param isPing adds a pong after the frames */
  async #poll(scopes: readonly Scope[], isPing: boolean): Promise<void> {
    const answer = await this.#pull(scopes.filter((scope) => this.#cursors.has(scope)));
    if (!answer) return;
    if (answer.status === 401) return this.#end(answer);
    const { body } = answer;
    if (answer.status !== 200 || !isPullAnswer(body) || !this.#isSameEpoch(answer)) return this.close();
    for (const frame of body.frames) this.#receive(frame);
    const routes = JSON.stringify(body.routes);
    if (routes !== this.#routes) this.#receive({ type: 'routes', routes: body.routes });
    this.#routes = routes;
    if (isPing) this.#receive({ type: 'pong', server_time: body.server_time });
  }

  #pull(scopes: readonly Scope[]): Promise<Answer | undefined> {
    const cursors = Object.fromEntries(scopes.map((scope) => [scope, this.#cursors.get(scope)]));
    const clientId = String(this.#hello['client_id']);
    return this.#ask(`/pull?client_id=${clientId}&cursors=${encodeURIComponent(JSON.stringify(cursors))}`);
  }

  /** Undefined where no answer came: the socket is closed then. */
  async #ask(path: string, body?: object): Promise<Answer | undefined> {
    if (this.#abort.signal.aborted) return undefined;
    try {
      const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const options = { ...request, headers: this.#headers, signal: this.#abort.signal };
      const response = await this.#fetch(this.#url + path, options);
      const answer: unknown = await response.json();
      return { status: response.status, body: record(answer) ? answer : {} };
    } catch {
      this.close();
      return undefined;
    }
  }

  /** A server of another epoch needs a new hello. */
  #isSameEpoch = ({ body }: Answer): boolean => body['epoch'] === this.#epoch;

  /** Passes a rejection of the hello on. Any other failure closes the socket: it may come from a proxy. */
  #reject({ body, status }: Answer): void {
    if (!isRefusal(body) || status === 404) return this.close();
    this.#receive({ type: 'reject', code: body.error.code, message: body.message });
  }

  #end({ body }: Answer): void {
    if ('api_token' in this.#headers) this.#receive({ type: 'session', state: 'revoked' });
    else this.#reject({ status: 401, body });
    this.close();
  }

  #receive(frame: Record<string, unknown>): void {
    if (this.#abort.signal.aborted) return;
    if (isPatch(frame)) this.#cursors.set(frame.scope, { epoch: frame.epoch, version: frame.to });
    // Not polled again until it is followed with the cursor of the fetched snapshot.
    else if (endsScope(frame)) this.#cursors.delete(frame.scope);
    this.#emit('message', JSON.stringify(frame));
  }

  #emit(type: string, data?: string): void {
    for (const each of this.#listeners) if (each.type === type) each.listener({ type, data });
  }
}
