import type { Environment, Socket, SocketEvent } from '@tailgate/client-sdk';
import { listed } from './open-waits.ts';

/** Delays the answers to pushes while everything else passes: the protocol leaves the order open. */
export class LateAcks {
  #held: (() => void)[] | undefined;
  #noticed: () => void = () => {};

  hold(): void {
    this.#held = [];
  }

  /** Resolves as soon as an answer waits here. */
  untilHeld(): Promise<void> {
    if (this.#held && this.#held.length > 0) return Promise.resolve();
    const wait = new Promise<void>((resolve) => {
      this.#noticed = resolve;
    });
    return listed(wait, () => 'no answer is held');
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) deliver();
  }

  around(Wire: Environment['WebSocket']): Environment['WebSocket'] {
    const take = (event: SocketEvent, listener: (event: SocketEvent) => void): void => {
      if (!this.#held || !isAck(event)) return listener(event);
      this.#held.push(() => listener(event));
      this.#noticed();
    };
    return class implements Socket {
      readonly #wire: Socket;
      constructor(url: string) {
        this.#wire = new Wire(url);
      }
      send(text: string): void {
        this.#wire.send(text);
      }
      close(code?: number, reason?: string): void {
        this.#wire.close(code, reason);
      }
      addEventListener(type: string, listener: (event: SocketEvent) => void): void {
        this.#wire.addEventListener(type, (event) => take(event, listener));
      }
    };
  }
}

const isAck = (event: SocketEvent): boolean => typeof event.data === 'string' && event.data.startsWith('{"type":"ack"');
