import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { SyncLimits } from './limits.ts';

/** The cost of a piece beside its bytes: each piece is an object. */
const PIECE_BYTES = 256;

/** The part of a connection that this class needs. */
interface Counted {
  /** The server has accepted its hello. */
  readonly isKnown: boolean;
  cut(code: number, reason: string): void;
}

/**
 * Bounds the memory of sockets before their hello is accepted. The WebSocket library buffers a frame until its end:
 * without a bound, 900 sockets with 2 MB each took 835 MB. A socket is closed above `hello_bytes`. Above
 * `unauthenticated_bytes` in total, the oldest socket is closed. A phone's hello takes a moment only, so phones can still connect.
 */
export class IncompleteFrames {
  readonly #limits: Pick<SyncLimits, 'hello_bytes' | 'unauthenticated_bytes'>;
  /** Buffered bytes of incomplete frames, the oldest socket first. */
  readonly #buffered = new Map<WebSocket, { readonly connection: Counted; bytes: number }>();
  #bytes = 0;

  constructor(limits: Pick<SyncLimits, 'hello_bytes' | 'unauthenticated_bytes'>) {
    this.#limits = limits;
  }

  /** Counts received bytes until the hello is accepted. The library must read the line before this. */
  watch(line: Duplex, socket: WebSocket, connection: Counted): void {
    const endOfFrame = (): void => this.#release(socket);
    const count = (piece: Buffer): void => {
      if (connection.isKnown) return stop();
      // This counts the piece that has just ended a frame, too: it may begin the next frame.
      this.#add(socket, connection, piece.length + PIECE_BYTES);
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

  #add(socket: WebSocket, connection: Counted, bytes: number): void {
    const buffered = this.#buffered.get(socket) ?? { connection, bytes: 0 };
    this.#buffered.set(socket, buffered);
    buffered.bytes += bytes;
    this.#bytes += bytes;
    const { hello_bytes: max, unauthenticated_bytes: maxTogether } = this.#limits;
    if (buffered.bytes > max) connection.cut(1009, `before welcome a frame has at most ${max} bytes`);
    for (const [other, { connection: oldest }] of this.#buffered) {
      if (this.#bytes <= maxTogether) return;
      this.#release(other);
      // Its last piece was the hello, and no piece has come since.
      if (oldest.isKnown) continue;
      oldest.cut(1013, 'too many incomplete frames');
      // Ends the socket at once, because the memory is needed now.
      other.terminate();
    }
  }

  #release(socket: WebSocket): void {
    this.#bytes -= this.#buffered.get(socket)?.bytes ?? 0;
    this.#buffered.delete(socket);
  }
}
