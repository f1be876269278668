/** Turns of the event loop without activity. The longest chain of `setImmediate` calls in the server is shorter. */
const QUIET_TURNS = 5;

/**
 * Detects when the world is idle: all statements are answered, and no code is processing an answer. Only then does
 * the scheduler choose the next step, so PostgreSQL's timing has no influence.
 */
export class Quiescence {
  #underWay = 0;
  #answering = 0;
  #pauses = 0;
  #wake: () => void = () => {};

  /** Counts this work as in progress until it ends. */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    this.#underWay++;
    try {
      return await work;
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#wake();
    }
  }

  /** Counts this request as in progress until it is answered, or until its handler waits for the world's time. */
  async answering(answer: Promise<unknown>): Promise<void> {
    this.#answering++;
    await answer.finally(() => {
      this.#answering--;
      this.#wake();
    });
  }

  /** A caller waits for the world's time to pass. @returns a function that ends the wait */
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
