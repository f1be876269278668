/** Answers to pushes that wait: committed, but not confirmed. */
export class DelayedAcks {
  #waiting: (() => void)[] | undefined;

  get count(): number {
    return this.#waiting?.length ?? 0;
  }

  hold(): void {
    this.#waiting = [];
  }

  release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const answer of waiting) answer();
  }

  /** Runs at once where answers are not delayed. */
  whenReleased(answer: () => void): void {
    if (this.#waiting) this.#waiting.push(answer);
    else answer();
  }
}
