import type { MachineClocks } from '../../server/src/clock/server-clock.ts';

/** Clocks of a machine that a test runs, sets and puts to sleep. Times in ms. */
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

  /** A person or a broken time server sets the wall clock. */
  setForward(ms: number): void {
    this.#wall += ms;
  }
}
