import { Fault } from './fault.ts';

/** Bytes that come part by part, up to a limit. */
export class Collected {
  readonly #parts: Uint8Array[] = [];
  readonly #name: string;
  readonly #most: number;
  #size = 0;

  /** @param most more bytes are a fault */
  constructor(name: string, most: number) {
    this.#name = name;
    this.#most = most;
  }

  add(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size > this.#most) throw new Fault('too-large', this.#name);
    // The source may use its buffer again.
    this.#parts.push(bytes.slice());
  }

  whole(): Uint8Array<ArrayBuffer> {
    const whole = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

/** The last bytes of a long member. */
export interface Tail {
  /** The place of the first of `bytes` in the member. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** Keeps the end of what comes part by part. */
export class TailWindow {
  #parts: Uint8Array[] = [];
  #held = 0;
  #size = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: Uint8Array): void {
    this.#size += bytes.length;
    this.#held += bytes.length;
    this.#parts.push(bytes.slice());
    for (let first = this.#parts[0]; first && this.#held - first.length >= this.#most; first = this.#parts[0]) {
      this.#parts.shift();
      this.#held -= first.length;
    }
  }

  tail(): Tail {
    const bytes = new Uint8Array(this.#held);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return { start: this.#size - this.#held, bytes };
  }
}
