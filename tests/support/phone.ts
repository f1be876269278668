import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ClientFrameInput, Mutation, ServerFrame } from '@tailgate/sync-protocol';
import { currentProtocol, serverFrame } from '@tailgate/sync-protocol';
import { WebSocket } from 'ws';
import { atFileEnd } from './file-end.ts';
import { listed } from './open-waits.ts';
import type { Signed } from './rest-client.ts';

type FrameOf<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>;

/** A phone that sends the protocol by hand, frame by frame. It checks each received frame against the schemas. */
export class Phone {
  readonly clientId: string;
  readonly frames: ServerFrame[] = [];
  readonly #socket: WebSocket;
  readonly #watchers = new Set<() => void>();
  closed: { code: number; reason: string } | undefined;

  /** @param line the server's address, or a socket that leads there */
  constructor(line: string | WebSocket, clientId: string = randomUUID()) {
    this.clientId = clientId;
    this.#socket = typeof line === 'string' ? new WebSocket(line, { perMessageDeflate: true }) : line;
    this.#socket.on('message', (data: Buffer) => {
      this.frames.push(serverFrame.parse(JSON.parse(data.toString())));
      this.#poll();
    });
    this.#socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.#poll();
    });
    this.#socket.on('error', () => undefined);
    atFileEnd(async () => this.terminate());
  }

  static async connect(url: string, clientId?: string): Promise<Phone> {
    const phone = new Phone(url, clientId);
    await once(phone.#socket, 'open');
    return phone;
  }

  send(frame: ClientFrameInput | { type: string; [member: string]: unknown }): void {
    this.#socket.send(JSON.stringify(frame));
  }

  sendRaw(data: string | Buffer): void {
    this.#socket.send(data);
  }

  hello(who: Partial<Signed> & { queue_key?: string; employee_id: string }, more: object = {}): void {
    this.send({
      type: 'hello',
      protocol: currentProtocol,
      client_id: this.clientId,
      device: 'test phone',
      sdk: 'test/1',
      app: 'test/1',
      clock: { now: new Date().toISOString(), boot_id: 'boot', monotonic_ms: performance.now() },
      ...who,
      ...more,
    });
  }

  async signOn(who: Partial<Signed> & { queue_key?: string; employee_id: string }, more: object = {}) {
    this.hello(who, more);
    return this.next('welcome');
  }

  push(...mutations: readonly (Mutation | object)[]): void {
    this.send({ type: 'push', mutations: [...mutations] });
  }

  /** Takes the first unread frame of a type that matches, else waits for it. */
  next<Type extends ServerFrame['type']>(
    type: Type,
    matches: (frame: FrameOf<Type>) => boolean = () => true,
  ): Promise<FrameOf<Type>> {
    return this.#first((frame): frame is FrameOf<Type> => isOf(frame, type) && matches(frame), type);
  }

  /** The same of two types, whichever comes first; the other one is left alone. */
  either<One extends ServerFrame['type'], Other extends ServerFrame['type']>(
    one: One,
    other: Other,
  ): Promise<FrameOf<One> | FrameOf<Other>> {
    const isEither = (frame: ServerFrame): frame is FrameOf<One> | FrameOf<Other> =>
      isOf(frame, one) || isOf(frame, other);
    return this.#first(isEither, `${one} or ${other}`);
  }

  #first<Frame extends ServerFrame>(isMatch: (frame: ServerFrame) => frame is Frame, wanted: string): Promise<Frame> {
    const wait = new Promise<Frame>((resolve, reject) => {
      const poll = (): void => {
        const index = this.frames.findIndex(isMatch);
        const found = this.frames[index];
        if (found && isMatch(found)) {
          this.frames.splice(index, 1);
          this.#watchers.delete(poll);
          resolve(found);
        } else if (this.closed) {
          this.#watchers.delete(poll);
          reject(
            new Error(`no ${wanted}: closed with ${this.closed.code} ${this.closed.reason}; had ${this.#names()}`),
          );
        }
      };
      this.#watchers.add(poll);
      poll();
    });
    return listed(wait, () => `${wanted}; had ${this.#names()}`);
  }

  async untilClosed(): Promise<{ code: number; reason: string }> {
    if (!this.closed) await listed(once(this.#socket, 'close'));
    return this.closed ?? { code: 0, reason: '' };
  }

  /** Stops reading, as a phone does whose processor sleeps. */
  sleep(): void {
    this.#socket.pause();
  }

  wake(): void {
    this.#socket.resume();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #poll(): void {
    for (const poll of [...this.#watchers]) poll();
  }

  #names(): string {
    return this.frames.map((frame) => frame.type).join(', ');
  }
}

const isOf = <Type extends ServerFrame['type']>(frame: ServerFrame, type: Type): frame is FrameOf<Type> =>
  frame.type === type;
