/** A phone's wall clock as the world knows it: its error, and the moments at which error or run changed. */
export class PhoneClock {
  #aheadMs: number;
  readonly #jumps: number[] = [];
  readonly #starts: number[] = [];

  /** @param aheadMs from the factory: hours or days */
  constructor(aheadMs: number) {
    this.#aheadMs = aheadMs;
  }

  /** The clock of a phone that gets a copy of this one's storage. It shows the same time, and may jump by itself. */
  copy(): PhoneClock {
    const clock = new PhoneClock(this.#aheadMs);
    clock.#jumps.push(...this.#jumps);
    clock.#starts.push(...this.#starts);
    return clock;
  }

  /** The difference between the phone's clock and the world's. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  jump(ms: number, at: number): void {
    this.#aheadMs += ms;
    this.#jumps.push(at);
  }

  /** A run of the app begins, and with it another monotonic clock. */
  starts(at: number): void {
    this.#starts.push(at);
  }

  /**
   * Whether a server can know when something was recorded at `from`, if it learns of it until `to`: the clock did not
   * jump, or one monotonic clock ran all the time (docs/protocol.md, Time).
   */
  isTraceable(from: number, to: number): boolean {
    const between = (at: number): boolean => at >= from && at <= to;
    return !this.#jumps.some(between) || !this.#starts.some(between);
  }
}
