/** Pseudo-random numbers (mulberry32). The same seed gives the same run. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 (inclusive) to `end` (exclusive). */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  /** True with this probability. */
  odds(share: number): boolean {
    return this.fraction() < share;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  /** One element of a list that is not empty. */
  one<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('there is nothing to choose from');
    return value;
  }

  /** One element, with a probability in proportion to its weight. */
  weighted<Value>(values: readonly (readonly [weight: number, value: Value])[]): Value {
    const sum = values.reduce((total, [weight]) => total + weight, 0);
    let remaining = this.fraction() * sum;
    for (const [weight, value] of values) {
      remaining -= weight;
      if (remaining < 0) return value;
    }
    throw new Error('there is nothing to choose from');
  }
}
