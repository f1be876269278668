import type {
  AssignedRoute,
  ClientFrame,
  Cursor,
  FeedDocument,
  ServerFrameInput,
  StopObject,
} from '@tailgate/sync-protocol';
import { addToChecksum, clientFrame, clientScope, codesScope } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import { newId, platform } from '../platform/environment.ts';
import { DelayedAcks } from './delayed-acks.ts';
import { fetchOf, unresolvableUrl, socketsOf } from './in-page.ts';
import { answerAuth, type Answer, refusal } from './scripted-auth.ts';
import { answerCell } from './scripted-cells.ts';
import { answerExchange, type ExchangeDesk, helloOf, jsonOf, welcomeOf } from './scripted-exchange.ts';
import type { ScriptedFile } from './scripted-files.ts';
import { read } from './read.ts';
import { ScriptedLedger } from './scripted-ledger.ts';
import type {
  Follower,
  Hearing,
  Hello,
  Link,
  Listening,
  ScriptedDesk,
  ScriptedOptions,
  ScriptedRequest,
  Wire,
} from './scripted-connections.ts';
import { assigned, sampleDocuments } from './sample-route.ts';
import { ScriptedOffice } from './scripted-office.ts';
import { Watchers } from './watchers.ts';

/**
 * A server of the sync protocol for an app's own tests. It has one route, and accepts pushes and files by the rules of
 * the protocol. A test can make it cut connections, stay silent, lose an answer, or publish edits of others. It runs in
 * the app's process: `fetch` and `WebSocket` are options of `createClient`. In Node it can also `listen` on loopback,
 * which needs the package `ws`; then `stop` it at the end.
 */
export class ScriptedServer implements ScriptedDesk {
  /** The state: the route, accepted mutations, and the host's progress. */
  ledger: ScriptedLedger;
  /** Every frame that arrived, of any client. */
  readonly heard: ClientFrame[] = [];
  /** Valid tokens: token → employee. */
  readonly tokens = new Map<string, string>();
  /** Valid queue keys, by queue. */
  readonly queueKeys = new Map<string, string>();
  /** Codes for the next hellos; consumed one by one. */
  readonly rejections: string[] = [];
  /** Error codes for the next pushes; consumed one by one. */
  readonly pushErrors: string[] = [];
  /** Addresses of other cells by facility, as `GET /api/cell` answers them. All other facilities are this server's. */
  readonly cells = new Map<string, string>();
  /** Drivers that cause a conflict at a sign-in without confirmation. */
  otherDrivers: { id: string; name: string }[] = [];
  /** The routes of every client; only the first one has documents. */
  routes: readonly AssignedRoute[];
  /** The documents of `codes:all`. */
  codes: FeedDocument[] = [];
  /** The number of opened sockets so far, including those that were cut at once. */
  connections = 0;
  /** Drops every message in both directions: a half-open connection. */
  mute = false;
  /** Cuts new sockets and sync requests at once: no network. */
  refuse = false;
  /** Cuts new sockets at once, and answers plain HTTP: a network that blocks sockets. */
  blocksSockets = false;
  /** The number of next patches with a wrong checksum. */
  corrupt = 0;
  /** The `fetch` of a client in the same page, worker or process. */
  readonly fetch = fetchOf(this);
  /** The `WebSocket` of such a client. */
  readonly WebSocket: Environment['WebSocket'] = socketsOf(this);
  readonly #acks = new DelayedAcks();
  readonly #options: ScriptedOptions;
  readonly #links = new Set<Link>();
  /** Ends each sync request that waits for its answer. */
  readonly #exchanges = new Set<() => void>();
  readonly #watchers = new Watchers();
  readonly #office: ScriptedOffice;
  #listening: Listening | undefined;

  constructor(options: ScriptedOptions = {}) {
    this.#options = options;
    const { stops = [1, 2, 3], drivers = ['1001', '1002'], lines = 3, closeDelayMs } = options;
    this.ledger = new ScriptedLedger(options.documents ?? sampleDocuments(stops, drivers, lines), closeDelayMs);
    this.routes = [assigned(this.ledger.header)];
    this.#office = new ScriptedOffice(this, options);
  }

  /** The `url` for a client; reachable only while the server listens. */
  get url(): string {
    return this.#listening?.url ?? unresolvableUrl;
  }

  /** The complete files, by id. */
  get files(): ReadonlyMap<string, ScriptedFile> {
    return this.ledger.files.here;
  }

  /** Listens on a free loopback port, in Node; `url` is its address from then on. */
  async listen(): Promise<void> {
    const { listen } = await import('#listener');
    this.#listening = await listen(this);
  }

  /** Cuts all connections and stops; the ledger stays unchanged. */
  async stop(): Promise<void> {
    this.cut();
    this.#office.stop();
    await this.#listening?.stop();
    this.#listening = undefined;
  }

  /** Cuts every socket and every unanswered sync request, as a tunnel does. */
  cut(): void {
    for (const { wire } of [...this.#links]) wire.cut();
    for (const cut of this.#exchanges) cut();
    this.#exchanges.clear();
  }

  /** Resolves as soon as `isSo` returns true; checked after each event of this server. */
  until(isSo: () => boolean): Promise<void> {
    return this.#watchers.until(isSo);
  }

  /** Delays the answers to pushes: committed, but not confirmed. */
  holdAcks(): void {
    this.#acks.hold();
  }

  /** Sends all delayed answers, in order, over the connections that are still open. */
  releaseAcks(): void {
    this.#acks.release();
  }

  /** The number of delayed answers. */
  get heldAcks(): number {
    return this.#acks.count;
  }

  /** The host confirms everything up to the present version. */
  host(through = this.ledger.version): void {
    this.ledger.hostedThrough = through;
    this.publish();
  }

  /** An operator releases a quarantined mutation, or dismisses it with a reason. */
  review(id: string, dismissal?: string): void {
    if (dismissal === undefined) this.ledger.release(id);
    else this.ledger.dismiss(id, dismissal);
    this.publish();
    for (const link of this.#links) if (link.follows.has(this.ledger.scope)) this.#sendReviews(link);
  }

  /** A clerk changes a stop on the host. `at` is in ms since 1970. */
  amend(update: StopObject, at: number, by = 'CLERK1'): void {
    this.ledger.amend(update, at, by);
    this.publish();
  }

  /** Another driver of the route records a change on another phone. `at` is in ms since 1970. */
  edit(update: StopObject, at: number, by = '1002'): void {
    this.ledger.edit(update, { at, client: newId(platform), seq: 1, by });
    this.publish();
  }

  /** Another driver's edit is later than the next change of the same fields or lines, and arrives first: a conflict. */
  overtake(update: StopObject, by = '1002'): void {
    this.ledger.overtake(update, by);
  }

  /** Sends new versions to followers. */
  publish(): void {
    for (const link of this.#links) {
      const from = link.follows.get(this.ledger.scope);
      if (from !== undefined) this.#sendPatch(link, from);
    }
    this.#office.follow();
  }

  /** Ends a session as another driver's sign-in does: reading stops, and the queue drains by its key. */
  revoke(token: string): void {
    const employee = this.tokens.get(token);
    this.tokens.delete(token);
    for (const link of this.#links)
      if (link.hello?.employee_id === employee && link.hello?.api_token === token) {
        link.follows.clear();
        link.send({ type: 'session', state: 'revoked', reason: 'evicted' });
      }
  }

  /** Sends the expiry of a session to the clients with this token. */
  expire(token: string, inSeconds: number): void {
    for (const link of this.#links)
      if (link.hello?.api_token === token) link.send({ type: 'session', state: 'expires', expires_in_s: inSeconds });
  }

  /** Sends a frame to all sockets; a text is sent unchanged, valid frame or not. */
  broadcast(frame: ServerFrameInput | string): void {
    for (const link of this.#links)
      if (typeof frame === 'string') link.wire.send(frame);
      else link.send(frame);
  }

  /** For a transport: a socket was opened. */
  connect(wire: Wire): Hearing {
    const send = (frame: ServerFrameInput): void => {
      if (!this.mute) wire.send(JSON.stringify(frame));
    };
    const link: Link = { wire, hello: undefined, follows: new Map(), send };
    this.connections++;
    if (this.refuse || this.blocksSockets) {
      wire.cut();
      return { hear: () => {}, closed: () => {} };
    }
    this.#links.add(link);
    this.#watchers.check();
    return {
      hear: (text) => {
        if (this.mute) return;
        const frame = read(clientFrame, JSON.parse(text));
        this.heard.push(frame);
        this.#take(link, frame);
        this.#watchers.check();
      },
      closed: () => {
        this.#links.delete(link);
        this.#watchers.check();
      },
    };
  }

  #take(link: Link, frame: ClientFrame): void {
    if (frame.type === 'hello') return this.#welcome(link, frame);
    // Accepted before a hello, too: a client probes whether sockets work again.
    if (frame.type === 'ping') return link.send({ type: 'pong', server_time: new Date().toISOString() });
    const { hello } = link;
    if (!hello) throw new Error(`${frame.type} before hello`);
    switch (frame.type) {
      case 'push':
        return this.#push(link, hello, frame.mutations);
      case 'subscribe':
        return this.#follow(link, frame.cursors);
      case 'gone':
        return this.ledger.skip(hello.client_id, frame.from, frame.to);
      case 'unsubscribe':
      case 'pong':
    }
  }

  #welcome(link: Link, hello: Hello): void {
    const code = this.rejections.shift() ?? this.#fault(hello);
    if (code !== undefined) {
      link.send({ type: 'reject', code, message: code, ...(code === 'INVALID_TOKEN' && { reason: 'expired' }) });
      return link.wire.close(4001);
    }
    link.hello = hello;
    const routes = hello.api_token === undefined ? [] : [...this.routes];
    link.send({ type: 'welcome', ...this.#greeting(hello), routes });
    this.#follow(link, hello.cursors);
  }

  #greeting(hello: Hello) {
    const { ledger } = this;
    const queue = ledger.queue(hello.client_id, hello.employee_id);
    const key = hello.wants_queue_key && hello.api_token !== undefined ? `key-${newId(platform)}` : undefined;
    if (key !== undefined) this.queueKeys.set(hello.client_id, key);
    return welcomeOf(ledger.epoch, queue.lastSeq, key, this.#options);
  }

  #fault(hello: Hello): string | undefined {
    const bound = this.ledger.queues.get(hello.client_id);
    if (bound && bound.employee !== hello.employee_id) return 'CLIENT_OF_OTHER_EMPLOYEE';
    if (hello.queue_key !== undefined)
      return this.queueKeys.get(hello.client_id) === hello.queue_key ? undefined : 'INVALID_TOKEN';
    return this.tokens.get(hello.api_token ?? '') === hello.employee_id ? undefined : 'INVALID_TOKEN';
  }

  #follow(link: Follower, cursors: Readonly<Record<string, Cursor | null>>): void {
    for (const [scope, cursor] of Object.entries(cursors)) {
      if (scope === clientScope(link.hello?.client_id ?? '')) this.#sendReviews(link);
      else if (link.hello?.api_token === undefined) link.send({ type: 'gone', scope, reason: 'INVALID_TOKEN' });
      else if (scope === this.ledger.scope) this.#followRoute(link, cursor);
      else if (scope === codesScope) this.#sendWhole(link, scope, this.codes);
      else link.send({ type: 'gone', scope, reason: 'NOT_ASSIGNED' });
    }
  }

  #sendReviews(link: Follower): void {
    const clientId = link.hello?.client_id ?? '';
    this.#sendWhole(link, clientScope(clientId), this.ledger.reviews(clientId));
  }

  #followRoute(link: Follower, cursor: Cursor | null): void {
    const { ledger } = this;
    const known = cursor?.epoch === ledger.routeEpoch ? cursor.version : null;
    if (known === null && this.#options.snapshots) {
      link.follows.delete(this.ledger.scope);
      return link.send({
        type: 'snapshot',
        scope: this.ledger.scope,
        epoch: ledger.routeEpoch,
        version: ledger.version,
      });
    }
    this.#sendPatch(link, known);
  }

  #sendPatch(link: Follower, from: number | null): void {
    const patch = this.ledger.patch(from);
    link.follows.set(this.ledger.scope, patch.to);
    link.send(this.corrupt-- > 0 ? { ...patch, checksum: patch.checksum + 1 } : patch);
    this.corrupt = Math.max(0, this.corrupt);
  }

  #sendWhole(link: Follower, scope: string, docs: readonly FeedDocument[]): void {
    const checksum = docs.reduce((sum, { key, version }) => addToChecksum(sum, key, version), 0);
    link.send({ type: 'patch', scope, epoch: '1', from: null, to: 1, docs: [...docs], deletes: [], checksum });
  }

  #push(link: Link, hello: Hello, mutations: readonly unknown[]): void {
    const code = this.pushErrors.shift();
    if (code !== undefined) return link.send({ type: 'error', code, message: code });
    const answer = this.ledger.push(hello.client_id, mutations);
    this.#acks.whenReleased(() => link.send({ type: 'ack', ...answer }));
    this.publish();
  }

  /** For a transport: a request arrived. */
  async answer(request: ScriptedRequest, cut: () => void): Promise<Answer | undefined> {
    const { pathname } = request.url;
    if (!/^\/api\/sync\/(push|pull|uploads)(\/|$)/.test(pathname)) return this.#withCheck(this.#answerRest(request));
    if (this.refuse) return undefined;
    // Read, and never answered.
    if (this.mute) return new Promise((resolve) => this.#exchanges.add(() => resolve(undefined)));
    this.#exchanges.add(cut);
    try {
      return this.#withCheck(
        pathname.startsWith('/api/sync/uploads') ? this.#upload(request) : await this.#exchange(request),
      );
    } finally {
      this.#exchanges.delete(cut);
    }
  }

  #withCheck(answer: Answer): Answer {
    this.#watchers.check();
    return answer;
  }

  #answerRest({ url: { pathname, searchParams }, headers, body }: ScriptedRequest): Answer {
    if (pathname.startsWith('/api/auth/'))
      return answerAuth(pathname, jsonOf(body), this.tokens, this.otherDrivers, this.ledger.header.drivers);
    if (pathname === '/api/cell') return answerCell(searchParams, this.cells);
    if (pathname !== '/api/sync/snapshot') return { status: 404, body: {} };
    if (!this.tokens.has(headers['api_token'] ?? '')) return { status: 401, body: {} };
    const { type: _type, from: _from, ...whole } = this.ledger.patch(null);
    return { status: 200, body: this.corrupt-- > 0 ? { ...whole, checksum: whole.checksum + 1 } : whole };
  }

  /** A file, or a part of one. */
  #upload(request: ScriptedRequest): Answer {
    const hello = helloOf(request.headers, { client_id: request.headers['client_id'] ?? '' });
    const fault = this.#fault(hello);
    if (fault !== undefined) return refusal(401, fault);
    const before = this.files.size;
    const answer = this.ledger.files.answer(request, hello.employee_id);
    if (this.files.size > before) this.publish();
    return { ...answer, headers: { ...answer.headers, 'server-epoch': String(this.ledger.epoch) } };
  }

  /** The sync exchange over plain HTTP. */
  #exchange(request: ScriptedRequest): Promise<Answer> {
    const engine: ExchangeDesk = {
      epoch: this.ledger.epoch,
      routes: this.routes,
      fault: (hello, first) => (first ? this.rejections.shift() : undefined) ?? this.#fault(hello),
      greeting: (hello) => this.#greeting(hello),
      push: (hello, { mutations, gone }) => {
        const code = mutations.length > 0 ? this.pushErrors.shift() : undefined;
        if (code !== undefined) return { code };
        if (gone) this.ledger.skip(hello.client_id, gone.from, gone.to);
        if (mutations.length > 0) this.heard.push({ type: 'push', mutations });
        const answer = this.ledger.push(hello.client_id, mutations);
        this.publish();
        this.#watchers.check();
        return new Promise((resolve) => this.#acks.whenReleased(() => resolve(answer)));
      },
      poll: (hello, cursors) => {
        const frames: ServerFrameInput[] = [];
        this.#follow({ hello, follows: new Map(), send: (frame) => void frames.push(frame) }, cursors);
        return frames;
      },
    };
    return answerExchange(request, engine);
  }
}
