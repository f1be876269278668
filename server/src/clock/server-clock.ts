import { uptime } from 'node:os';

/** Clocks of this machine, in ms. */
export interface MachineClocks {
  /** Since 1970. Operators and NTP may set it. */
  readonly wall: () => number;
  /** Never jumps. Stops while the machine sleeps. */
  readonly monotonic: () => number;
  /** Since the machine started; counts sleep. Coarser than the others. */
  readonly uptime: () => number;
}

/** A disagreement of the wall clock with the elapsed time. */
export interface ClockJump {
  /** When the server detected it, as server time. */
  readonly since: Date;
  /** Wall clock minus server time; positive where the wall clock is ahead. */
  readonly aheadMs: number;
}

/** Larger than the usual steps of NTP, smaller than any jump that harms the order of edits. */
export const CLOCK_TOLERANCE_MS = 30_000;

const machine: MachineClocks = {
  wall: Date.now,
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1_000,
};

/**
 * The time of all stamps of a server (decision 93). It equals the wall clock while that agrees with the elapsed time.
 * After a jump it follows the monotonic clock until the wall clock agrees again: a stamp from the future would override
 * every later edit until that time. At its start the server accepts the wall clock.
 */
export class ServerClock {
  readonly #clocks: MachineClocks;
  /** The clocks when the wall clock last agreed. */
  #anchor: { readonly at: number; readonly monotonic: number; readonly uptime: number };
  #jump: ClockJump | undefined;

  constructor(clocks: MachineClocks = machine) {
    this.#clocks = clocks;
    this.#anchor = this.#anchorAt(clocks.wall());
  }

  /** Bound, since every part of the server uses it as its clock. */
  readonly now = (): Date => new Date(this.#read());

  get jump(): ClockJump | undefined {
    this.#read();
    return this.#jump;
  }

  /** Sets the server time, in ms since 1970. */
  set(at: number): void {
    this.#anchor = this.#anchorAt(at);
    this.#read();
  }

  #read(): number {
    const { wall, monotonic } = this.#clocks;
    const [wallTime, expectedTime] = [wall(), this.#anchor.at + (monotonic() - this.#anchor.monotonic)];
    if (isClose(wallTime, expectedTime)) return this.#accept(wallTime);
    // The machine may have slept meanwhile.
    const timeWithSleep = Math.max(expectedTime, this.#anchor.at + (this.#clocks.uptime() - this.#anchor.uptime));
    if (isClose(wallTime, timeWithSleep)) return this.#accept(wallTime);
    const own = Math.round(timeWithSleep);
    this.#jump = { since: this.#jump?.since ?? new Date(own), aheadMs: wallTime - own };
    return own;
  }

  /** Moves the anchor with a slow drift: NTP adjusts the wall clock continuously. */
  #accept(at: number): number {
    this.#jump = undefined;
    if (Math.abs(at - this.#anchor.at) > CLOCK_TOLERANCE_MS / 3) this.#anchor = this.#anchorAt(at);
    return at;
  }

  #anchorAt(at: number) {
    return { at, monotonic: this.#clocks.monotonic(), uptime: this.#clocks.uptime() };
  }
}

const isClose = (one: number, other: number): boolean => Math.abs(one - other) <= CLOCK_TOLERANCE_MS;
