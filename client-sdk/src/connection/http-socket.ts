import type { Cursor, Scope } from '@tailgate/sync-protocol';
import type { Environment, Socket, SocketEvent } from '../platform/environment.ts';
import { anything, exactly, fields, listOf, nullable, number, optional, record, text } from '../platform/reading.ts';

// The fields of answers that this file reads. The connection checks the frames inside them.
const answered = fields({ epoch: text, frames: listOf(record), routes: listOf(anything), server_time: optional(text) });
const refused = fields({ error: fields({ code: text }), message: text });
const patched = fields({ type: exactly('patch'), scope: text, epoch: text, to: number });
const ended = fields({ type: exactly('gone', 'snapshot'), scope: text });

const sent = fields({ type: text });
const hello = fields({ type: exactly('hello'), employee_id: text, client_id: text, cursors: record });
const looking = fields({ type: exactly('ping', 'subscribe') });
const asking = fields({ type: exactly('ping'), clock: record });
const leaving = fields({ type: exactly('unsubscribe'), scopes: listOf(text) });
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
  #who: Record<string, unknown> = {};
  #epoch = '';
  #routes = '';
  /** One push after the other, and one poll after the other: answers arrive in the order of their requests. */
  #pushes: Promise<void> = Promise.resolve();
  #looks: Promise<void> = Promise.resolve();

  /** @param url the server's sync address, `https://…/api/sync` */
  constructor(url: string, fetch: Environment['fetch']) {
    this.#url = url;
    this.#fetch = fetch;
    queueMicrotask(() => this.#tell('open'));
  }

  addEventListener(type: string, listener: (event: SocketEvent) => void): void {
    this.#listeners.push({ type, listener });
  }

  send(message: string): void {
    const frame: unknown = JSON.parse(message);
    // Pushes carry the clocks of the latest ping; those of the hello are too old.
    if (asking(frame)) this.#who['clock'] = frame.clock;
    // Polls do not wait for pushes: a slow push must not make the connection look dead.
    if (looking(frame)) this.#looks = this.#looks.then(() => this.#follow(frame));
    else this.#pushes = this.#pushes.then(() => this.#take(frame));
  }

  close(): void {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    this.#tell('close');
  }

  async #take(frame: unknown): Promise<void> {
    if (hello(frame)) return this.#greet(frame);
    if (leaving(frame)) for (const scope of frame.scopes) this.#cursors.delete(scope);
    if (!sent(frame)) return;
    const { type, ...content } = frame;
    if (type === 'push') return this.#push(content);
    if (type === 'gone') return this.#push({ mutations: [], gone: content });
  }

  #follow(frame: { type: string; cursors?: unknown }): Promise<void> {
    if (frame.type === 'ping') return this.#look([...this.#cursors.keys()], true);
    const scopes = this.#place(frame.cursors);
    return this.#look(scopes, false);
  }

  #place(cursors: unknown): Scope[] {
    const entries = record(cursors) ? Object.entries(cursors) : [];
    for (const [scope, cursor] of entries) if (isCursor(cursor)) this.#cursors.set(scope, cursor);
    return entries.map(([scope]) => scope);
  }

  async #greet({ employee_id, cursors, ...frame }: { employee_id: string; cursors: Record<string, unknown> }) {
    const { api_token, queue_key, ...who }: Record<string, unknown> = frame;
    const credentials = { api_token, queue_key };
    this.#headers = { employee_id, 'content-type': 'application/json' };
    for (const [name, value] of Object.entries(credentials)) if (text(value)) this.#headers[name] = value;
    this.#who = who;
    const scopes = this.#place(cursors);
    const welcome = await this.#ask('/push', { ...who, mutations: [] });
    // The server issues the key once.
    delete this.#who['wants_queue_key'];
    if (!welcome) return;
    if (welcome.status !== 200) return this.#reject(welcome);
    const news = await this.#pull(scopes);
    if (news?.status !== 200 || !answered(news.body)) return this.close();
    this.#epoch = news.body.epoch;
    this.#routes = JSON.stringify(news.body.routes);
    this.#hear({ ...welcome.body, type: 'welcome', routes: news.body.routes });
    for (const each of news.body.frames) this.#hear(each);
  }

  async #push(content: Record<string, unknown>): Promise<void> {
    const answer = await this.#ask('/push', { ...this.#who, ...content });
    if (!answer) return;
    if (answer.status === 200)
      return this.#isSameLife(answer) ? this.#hear({ ...answer.body, type: 'ack' }) : this.close();
    if (answer.status === 401) return this.#end(answer);
    const code = refused(answer.body) ? answer.body.error.code : 'INTERNAL';
    // Each push repeats the hello: the server may have been rolled back since the last one.
    if (code === 'UNSUPPORTED_PROTOCOL') return this.#reject(answer);
    const message = refused(answer.body) ? answer.body.message : `status ${answer.status}`;
    this.#hear({ type: 'error', code, message });
  }

  /** Polls the scopes. @param isPing adds a pong after the frames */
  async #look(scopes: readonly Scope[], isPing: boolean): Promise<void> {
    const answer = await this.#pull(scopes.filter((scope) => this.#cursors.has(scope)));
    if (!answer) return;
    if (answer.status === 401) return this.#end(answer);
    const { body } = answer;
    if (answer.status !== 200 || !answered(body) || !this.#isSameLife(answer)) return this.close();
    for (const frame of body.frames) this.#hear(frame);
    const routes = JSON.stringify(body.routes);
    if (routes !== this.#routes) this.#hear({ type: 'routes', routes: body.routes });
    this.#routes = routes;
    if (isPing) this.#hear({ type: 'pong', server_time: body.server_time });
  }

  #pull(scopes: readonly Scope[]): Promise<Answer | undefined> {
    const cursors = Object.fromEntries(scopes.map((scope) => [scope, this.#cursors.get(scope)]));
    const clientId = String(this.#who['client_id']);
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
  #isSameLife = ({ body }: Answer): boolean => body['epoch'] === this.#epoch;

  /** Passes a rejection of the hello on. Any other failure closes the socket: it may come from a proxy. */
  #reject({ body, status }: Answer): void {
    if (!refused(body) || status === 404) return this.close();
    this.#hear({ type: 'reject', code: body.error.code, message: body.message });
  }

  #end({ body }: Answer): void {
    if ('api_token' in this.#headers) this.#hear({ type: 'session', state: 'revoked' });
    else this.#reject({ status: 401, body });
    this.close();
  }

  #hear(frame: Record<string, unknown>): void {
    if (this.#abort.signal.aborted) return;
    if (patched(frame)) this.#cursors.set(frame.scope, { epoch: frame.epoch, version: frame.to });
    // Not polled again until it is followed with the cursor of the fetched snapshot.
    else if (ended(frame)) this.#cursors.delete(frame.scope);
    this.#tell('message', JSON.stringify(frame));
  }

  #tell(type: string, data?: string): void {
    for (const each of this.#listeners) if (each.type === type) each.listener({ type, data });
  }
}
