import type { Environment, Socket, SocketEvent } from '@tailgate/client-sdk';
import { listed } from './open-waits.ts';

/** Delays the answers to pushes while everything else passes: the protocol leaves the order open. */
export class LateAcks {
  #delayed: (() => void)[] | undefined;
  #notify: () => void = () => {};

  delay(): void {
    this.#delayed = [];
  }

  /** Resolves as soon as an answer waits here. */
  untilDelayed(): Promise<void> {
    if (this.#delayed && this.#delayed.length > 0) return Promise.resolve();
    const wait = new Promise<void>((resolve) => {
      this.#notify = resolve;
    });
    return listed(wait, () => 'no answer is held');
  }

  release(): void {
    const delayed = this.#delayed ?? [];
    this.#delayed = undefined;
    for (const deliver of delayed) deliver();
  }

  wrap(WebSocketClass: Environment['WebSocket']): Environment['WebSocket'] {
    const take = (event: SocketEvent, listener: (event: SocketEvent) => void): void => {
      if (!this.#delayed || !isAck(event)) return listener(event);
      this.#delayed.push(() => listener(event));
      this.#notify();
    };
    return class implements Socket {
      readonly #socket: Socket;
      constructor(url: string) {
        this.#socket = new WebSocketClass(url);
      }
      send(text: string): void {
        this.#socket.send(text);
      }
      close(code?: number, reason?: string): void {
        this.#socket.close(code, reason);
      }
      addEventListener(type: string, listener: (event: SocketEvent) => void): void {
        this.#socket.addEventListener(type, (event) => take(event, listener));
      }
    };
  }
}

const isAck = (event: SocketEvent): boolean => typeof event.data === 'string' && event.data.startsWith('{"type":"ack"');
