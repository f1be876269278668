/**
 * The time of a simulated world. It stands still while something happens and moves when the scheduler says so: nobody
 * waits for a clock on a wall, and what comes first does not depend on how busy the machine is.
 */
export class WorldTime {
  /** Milliseconds since 1970, of the world itself: what every device's clock should show. */
  now = Date.UTC(2026, 10, 21, 16);
  readonly #alarms = new Set<Alarm>();

  pass(ms: number): void {
    this.now += ms;
  }

  /** Whole milliseconds, as clocks show them. @returns the way to call it off */
  after(ms: number, work: () => void): () => void {
    const alarm = { at: this.now + Math.ceil(ms), work };
    this.#alarms.add(alarm);
    return () => void this.#alarms.delete(alarm);
  }

  get hasAlarms(): boolean {
    return this.#alarms.size > 0;
  }

  /** Lets the time pass until the next alarm, and rings it. Of several at once, the one that was set first. */
  ringNext(): void {
    let next: Alarm | undefined;
    for (const alarm of this.#alarms) if (!next || alarm.at < next.at) next = alarm;
    if (!next) return;
    this.#alarms.delete(next);
    this.now = Math.max(this.now, next.at);
    next.work();
  }
}

interface Alarm {
  readonly at: number;
  readonly work: () => void;
}
