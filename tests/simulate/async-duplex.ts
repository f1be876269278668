import { Duplex } from 'node:stream';

/**
 * One end of a wire. Data written to one end comes out of the other end later, as from a socket. `duplexPair` passes
 * data on synchronously: a WebSocket would receive the answer to its close frame while it still sends it.
 */
class DuplexEnd extends Duplex {
  #other: DuplexEnd = this;

  static pair(): [DuplexEnd, DuplexEnd] {
    const [one, other] = [new DuplexEnd(), new DuplexEnd()];
    one.#other = other;
    other.#other = one;
    return [one, other];
  }

  override _read(): void {
    // Data is pushed as it arrives; there is no need to request it.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    process.nextTick(() => {
      this.#other.push(chunk);
      done();
    });
  }

  override _final(done: () => void): void {
    process.nextTick(() => {
      this.#other.push(null);
      done();
    });
  }

  /** An end that closes before both sides have sent a close frame resets the line. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.readableEnded || !this.writableFinished) this.#other.destroy();
    done(error);
  }
}

/** Both ends of a new wire. */
export const asyncDuplexPair = (): [Duplex, Duplex] => DuplexEnd.pair();
