/**
 * The time of a simulated world. Only the scheduler moves it. No test waits for real time, and the load of the machine
 * does not affect the order of events.
 */
export class WorldTime {
  /** Milliseconds since 1970. A correct device clock shows this time. */
  now = Date.UTC(2026, 10, 21, 16);
  readonly #timers = new Set<WorldTimer>();

  advance(ms: number): void {
    this.now += ms;
  }

  /** Whole milliseconds, as clocks show them. @returns a function that cancels the alarm */
  after(ms: number, work: () => void): () => void {
    const timer = { at: this.now + Math.ceil(ms), work };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  get hasTimers(): boolean {
    return this.#timers.size > 0;
  }

  /** Moves the time by a long while, and runs the alarms within it in their order. */
  pass(ms: number): void {
    const end = this.now + ms;
    while ((this.#next?.at ?? Infinity) <= end) this.runNextTimer();
    this.now = Math.max(this.now, end);
  }

  /** Moves the time to the next alarm and runs it. */
  runNextTimer(): void {
    const next = this.#next;
    if (!next) return;
    this.#timers.delete(next);
    this.now = Math.max(this.now, next.at);
    next.work();
  }

  /** Of alarms at the same time, the one that was set first. */
  get #next(): WorldTimer | undefined {
    let next: WorldTimer | undefined;
    for (const timer of this.#timers) if (!next || timer.at < next.at) next = timer;
    return next;
  }
}

interface WorldTimer {
  readonly at: number;
  readonly work: () => void;
}
