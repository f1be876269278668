import type { MachineClocks } from '../../server/src/clock/server-clock.ts';

/** Clocks of a machine that a test advances, sets and suspends. Times in ms. */
export class TestMachine implements MachineClocks {
  #wall: number;
  #monotonic = 5_000;
  #uptime = 90_000;

  constructor(wall: number) {
    this.#wall = wall;
  }

  readonly wall = (): number => this.#wall;
  readonly monotonic = (): number => this.#monotonic;
  readonly uptime = (): number => this.#uptime;

  run(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
    this.#uptime += ms;
  }

  sleep(ms: number): void {
    this.#wall += ms;
    this.#uptime += ms;
  }

  /** Sets the wall clock, as a person or a broken time server does. */
  setForward(ms: number): void {
    this.#wall += ms;
  }
}
