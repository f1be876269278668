/** Turns of the event loop in which nothing may happen: the longest chain of `setImmediate`s in the server is shorter. */
const QUIET_TURNS = 5;

/**
 * Knows when the world has come to rest: all statements are answered, and nobody goes on with an answer. Only then does
 * the scheduler choose what happens next, so that PostgreSQL's own timing decides nothing.
 */
export class Stillness {
  #underWay = 0;
  #answering = 0;
  #pauses = 0;
  #wake: () => void = () => {};

  /** Counts this work as under way until it ends. */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    this.#underWay++;
    try {
      return await work;
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#wake();
    }
  }

  /** Counts this request as under way until it is answered, or until what answers it waits for the world's time. */
  async answering(answer: Promise<unknown>): Promise<void> {
    this.#answering++;
    await answer.finally(() => {
      this.#answering--;
      this.#wake();
    });
  }

  /** Somebody waits for the world's time to pass. @returns what to call when that is over */
  pause(): () => void {
    this.#pauses++;
    this.#wake();
    return () => void this.#pauses--;
  }

  async reached(): Promise<void> {
    await this.#quiet();
    while (this.#answering > 0 && this.#pauses === 0) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      await this.#quiet();
    }
  }

  async #quiet(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
      await new Promise(setImmediate);
      if (this.#underWay === 0) continue;
      quiet = -1;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
