/** Values by name, with a limit on their bytes together. The least recently used ones are dropped first. */
export class ByteCache<Value> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: Value) => number;
  /** In the order of their last use. */
  readonly #values = new Map<string, Value>();
  #bytes = 0;

  constructor(maxBytes: number, bytesOf: (value: Value) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  get(name: string): Value | undefined {
    return this.#values.get(name);
  }

  /** Adds or replaces a value, or marks it as used. A value above the limit is not stored. */
  put(name: string, value: Value): void {
    this.#drop(name);
    if (this.#bytesOf(value) > this.#maxBytes) return;
    this.#values.set(name, value);
    this.#bytes += this.#bytesOf(value);
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    const value = this.#values.get(name);
    if (value === undefined) return;
    this.#values.delete(name);
    this.#bytes -= this.#bytesOf(value);
  }
}
