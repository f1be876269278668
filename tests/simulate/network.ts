import type { Socket } from '@tailgate/client-sdk';
import type { WebSocket } from 'ws';
import type { ServerNode } from './server-node.ts';
import type { Quiescence } from './quiescence.ts';

/** Chooses the running process that gets a new connection or request, if there is one. */
export interface ServerSide {
  balance(): ServerNode | undefined;
}

/** The next delivery to one end of a line. */
type QueuedFrame = { readonly is: 'frame'; readonly text: string } | { readonly is: 'end' };

/** A step that the network can take now. The scheduler chooses one. */
export type Delivery = () => Promise<void>;

/**
 * The network of one phone. Each frame, request and answer waits until the scheduler delivers it. A line delivers its
 * frames in order, like TCP. Frames of an old line may arrive long after a new line has opened.
 */
export class PhoneNetwork {
  /** Whether the phone has reception. */
  isUp = true;
  /** A proxy permits requests only: a socket ends while it opens. */
  blocksSockets = false;
  readonly #server: ServerSide;
  readonly #quiescence: Quiescence;
  readonly #connections = new Set<PhoneConnection>();
  readonly #requests = new Set<Request>();

  constructor(server: ServerSide, quiescence: Quiescence) {
    this.#server = server;
    this.#quiescence = quiescence;
  }

  get hasConnections(): boolean {
    return this.#connections.size > 0;
  }

  /** @param isAlive whether the app that opens the line still runs */
  connect(phone: PhoneSocket, isAlive: () => boolean): void {
    this.#connections.add(new PhoneConnection(phone, isAlive, this.#quiescence));
  }

  request(isAlive: () => boolean, phoneRequest: PhoneRequest): Promise<Response> {
    return new Promise((answer, fail) =>
      this.#requests.add({ isAlive, phoneRequest, answer, fail, isUnderWay: false, response: undefined }),
    );
  }

  /** The possible next steps. Their order depends only on earlier events. */
  deliveries(): Delivery[] {
    const next: Delivery[] = [];
    for (const connection of this.#connections) {
      if (connection.isOver) this.#connections.delete(connection);
      else if (connection.isOpening)
        next.push(() => connection.open(this.isUp && !this.blocksSockets ? this.#server.balance() : undefined));
      else if (this.isUp) next.push(...connection.deliveries());
    }
    for (const request of this.#requests) if (!request.isUnderWay) next.push(() => this.#deliver(request));
    return next;
  }

  /** From now on only requests get through. The proxy also ends the sockets that are open. */
  blockSockets(): void {
    this.blocksSockets = true;
    for (const connection of this.#connections) connection.cut();
    this.#connections.clear();
  }

  /** Every line breaks and loses the frames that are in progress. */
  cut(): void {
    for (const connection of this.#connections) connection.cut();
    this.#connections.clear();
    for (const request of this.#requests) request.fail(new TypeError('the network is gone'));
    this.#requests.clear();
  }

  /** A server is gone. Frames that it had sent still arrive; frames to it are lost. */
  serverKilled(node: ServerNode): void {
    for (const connection of this.#connections) connection.serverKilled(node);
  }

  /** From now on no open line delivers anything, and neither end is notified. */
  freeze(): void {
    for (const connection of this.#connections) connection.isFrozen = true;
  }

  async #deliver(request: Request): Promise<void> {
    const { isAlive, fail } = request;
    if (request.response === undefined) {
      const node = this.isUp ? this.#server.balance() : undefined;
      if (!node) {
        this.#requests.delete(request);
        if (isAlive()) fail(new TypeError('no server answers'));
        return;
      }
      request.isUnderWay = true;
      const answer = this.#phoneRequest(node, request);
      // A request that writes may wait for the world's time. A request that reads waits only for statements and zlib.
      if (request.phoneRequest.method === 'GET') await this.#quiescence.during(answer);
      else void this.#quiescence.answering(answer);
      return;
    }
    this.#requests.delete(request);
    if (!isAlive()) return;
    if (this.isUp) request.answer(request.response);
    else fail(new TypeError('the answer did not arrive'));
  }

  async #phoneRequest(node: ServerNode, request: Request): Promise<void> {
    const { method, path, headers, body } = request.phoneRequest;
    const payload = body === undefined ? {} : { payload: body };
    const answer = await node.app.inject({ method: methodOf(method), url: path, headers, ...payload });
    request.isUnderWay = false;
    if (node.isKilled) {
      // The server was killed meanwhile: its answer is dropped.
      this.#requests.delete(request);
      if (request.isAlive()) request.fail(new TypeError('the server is gone'));
      return;
    }
    const responseHeaders: Record<string, string> = {};
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined) responseHeaders[name] = String(value);
    const bodyless = answer.statusCode === 204 || answer.statusCode === 304;
    const text = bodyless ? null : answer.payload;
    request.response = new Response(text, { status: answer.statusCode, headers: responseHeaders });
  }
}

export interface PhoneRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | undefined;
}

interface Request {
  readonly isAlive: () => boolean;
  readonly phoneRequest: PhoneRequest;
  readonly answer: (response: Response) => void;
  readonly fail: (error: Error) => void;
  /** A server is processing the request. */
  isUnderWay: boolean;
  response: Response | undefined;
}

/** A request in the form that `inject` takes. */
function methodOf(method: string): 'GET' | 'POST' | 'HEAD' | 'PATCH' {
  if (method === 'POST' || method === 'HEAD' || method === 'PATCH') return method;
  return 'GET';
}

/** One connection between a phone and the server, with the frames in progress in both directions. */
class PhoneConnection {
  isFrozen = false;
  readonly #phone: PhoneSocket;
  readonly #isAlive: () => boolean;
  readonly #quiescence: Quiescence;
  readonly #toServer: QueuedFrame[] = [];
  readonly #toPhone: QueuedFrame[] = [];
  #server: WebSocket | undefined;
  #node: ServerNode | undefined;
  #state: 'opening' | 'open' | 'over' = 'opening';

  constructor(phone: PhoneSocket, isAlive: () => boolean, quiescence: Quiescence) {
    this.#phone = phone;
    this.#isAlive = isAlive;
    this.#quiescence = quiescence;
    phone.enqueue = (queued) => this.#toServer.push(queued);
  }

  get isOpening(): boolean {
    return this.#state === 'opening';
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  async open(node: ServerNode | undefined): Promise<void> {
    if (!node || this.#phone.isClosed) return this.#end();
    const socket = await this.#quiescence.during(node.accept('/api/sync'));
    this.#server = socket;
    this.#node = node;
    this.#state = 'open';
    // Once the line is open, the server sends only text frames.
    socket.on('message', (data: Buffer) => this.#toPhone.push({ is: 'frame', text: data.toString() }));
    socket.on('close', () => this.#toPhone.push({ is: 'end' }));
    if (this.#isAlive()) this.#phone.dispatch(new Event('open'));
  }

  deliveries(): Delivery[] {
    if (this.isFrozen) return [];
    const next: Delivery[] = [];
    if (this.#toServer.length > 0) next.push(() => this.#deliverToServer());
    if (this.#toPhone.length > 0) next.push(() => this.#deliverToPhone());
    return next;
  }

  cut(): void {
    this.#server?.terminate();
    this.#end();
  }

  serverKilled(node: ServerNode): void {
    if (!this.#server || this.#node !== node) return;
    this.#server.removeAllListeners();
    this.#server.terminate();
    this.#server = undefined;
    this.#toPhone.push({ is: 'end' });
  }

  async #deliverToServer(): Promise<void> {
    const queued = this.#toServer.shift();
    if (queued?.is === 'frame') this.#server?.send(queued.text);
    if (queued?.is !== 'end') return;
    this.#server?.close();
    this.#state = 'over';
  }

  async #deliverToPhone(): Promise<void> {
    const queued = this.#toPhone.shift();
    if (queued?.is === 'end') return this.#end();
    if (queued && this.#isAlive()) this.#phone.dispatch(new MessageEvent('message', { data: queued.text }));
  }

  #end(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    if (this.#isAlive()) this.#phone.dispatch(new Event('close'));
  }
}

/** The phone's end of a line: the socket that the SDK holds. */
export class PhoneSocket extends EventTarget implements Socket {
  isClosed = false;
  /** Takes a frame for the server. */
  enqueue: (queued: QueuedFrame) => void = () => {};

  send(text: string): void {
    if (!this.isClosed) this.enqueue({ is: 'frame', text });
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.enqueue({ is: 'end' });
  }

  dispatch(event: Event): void {
    if (!this.isClosed) this.dispatchEvent(event);
  }
}
