/**
 * The time of a simulated world. Only the scheduler moves it. No test waits for real time, and the load of the machine
 * does not affect the order of events.
 */
export class WorldTime {
  /** Milliseconds since 1970. A correct device clock shows this time. */
  now = Date.UTC(2026, 10, 21, 16);
  readonly #alarms = new Set<Alarm>();

  pass(ms: number): void {
    this.now += ms;
  }

  /** Whole milliseconds, as clocks show them. @returns a function that cancels the alarm */
  after(ms: number, work: () => void): () => void {
    const alarm = { at: this.now + Math.ceil(ms), work };
    this.#alarms.add(alarm);
    return () => void this.#alarms.delete(alarm);
  }

  get hasAlarms(): boolean {
    return this.#alarms.size > 0;
  }

  /** Moves the time to the next alarm and runs it. Of alarms at the same time, the one that was set first runs. */
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
