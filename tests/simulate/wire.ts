import { Duplex } from 'node:stream';

/**
 * One end of a wire: what is written to it comes out of the other one, later, as from a socket. A pair of streams that
 * hands over at once, such as `duplexPair`, lets a WebSocket hear the answer to its goodbye while it still says it.
 */
class End extends Duplex {
  #other: End = this;

  static pair(): [End, End] {
    const [one, other] = [new End(), new End()];
    one.#other = other;
    other.#other = one;
    return [one, other];
  }

  override _read(): void {
    // What arrives is there: nobody has to be asked for it.
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

  /** Whoever ends before both have said goodbye resets the line. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.readableEnded || !this.writableFinished) this.#other.destroy();
    done(error);
  }
}

/** Both ends of a new wire. */
export const stretchWire = (): [Duplex, Duplex] => End.pair();
