import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { SyncLimits } from './limits.ts';

/** What a piece costs beside its bytes: whoever sends them one by one makes an object of each. */
const PIECE_BYTES = 256;

/** A connection, as far as its bytes are counted. */
interface Counted {
  /** Its hello was taken once. */
  readonly isKnown: boolean;
  cut(code: number, reason: string): void;
}

/**
 * Bounds what sockets hold before their hello is taken. The WebSocket library keeps half a frame until the rest comes:
 * without a bound, 900 sockets with 2 MB each held 835 MB. A socket is cut past `hello_bytes`. Past `strangers_bytes`
 * together, the one that began first goes: a phone's hello is here in a moment, so phones get in all the same.
 */
export class HalfFrames {
  readonly #limits: Pick<SyncLimits, 'hello_bytes' | 'strangers_bytes'>;
  /** Bytes of half frames. Who began first stands first. */
  readonly #held = new Map<WebSocket, { readonly connection: Counted; bytes: number }>();
  #bytes = 0;

  constructor(limits: Pick<SyncLimits, 'hello_bytes' | 'strangers_bytes'>) {
    this.#limits = limits;
  }

  /** Counts what comes over the line, until the hello is taken. The library must read the line already. */
  watch(line: Duplex, socket: WebSocket, connection: Counted): void {
    const endOfFrame = (): void => this.#release(socket);
    const count = (piece: Buffer): void => {
      if (connection.isKnown) return stop();
      // Also the piece that has just ended a frame: it may begin the next one, which holds all of it.
      this.#hold(socket, connection, piece.length + PIECE_BYTES);
    };
    const stop = (): void => {
      line.off('data', count);
      socket.off('message', endOfFrame);
      this.#release(socket);
    };
    socket.on('message', endOfFrame);
    line.on('data', count);
    socket.once('close', stop);
  }

  #hold(socket: WebSocket, connection: Counted, bytes: number): void {
    const held = this.#held.get(socket) ?? { connection, bytes: 0 };
    this.#held.set(socket, held);
    held.bytes += bytes;
    this.#bytes += bytes;
    const { hello_bytes: most, strangers_bytes: mostTogether } = this.#limits;
    if (held.bytes > most) connection.cut(1009, `before welcome a frame has at most ${most} bytes`);
    for (const [other, { connection: oldest }] of this.#held) {
      if (this.#bytes <= mostTogether) return;
      this.#release(other);
      // Its last piece was the hello, and none has come since.
      if (oldest.isKnown) continue;
      oldest.cut(1013, 'too many half frames wait for their end');
      // Its memory is needed now.
      other.terminate();
    }
  }

  #release(socket: WebSocket): void {
    this.#bytes -= this.#held.get(socket)?.bytes ?? 0;
    this.#held.delete(socket);
  }
}
