/** A whole answer as the bytes that go out, so that what many ask for is put together once and never copied. */
export class Rendered<Data> {
  /** What the bytes say; for the compiler only. */
  declare readonly says: Data;
  readonly bytes: Buffer;

  constructor(message: string, data: Data) {
    this.bytes = Buffer.from(JSON.stringify({ success: true, message, data }));
  }
}

interface Kept<Data> {
  /** Of what it was made. Another stamp, another answer. */
  readonly stamp: string;
  readonly rendered: Rendered<Data>;
}

/** Rendered answers by name, the latest stamp of each; those that nobody has asked for the longest go first. */
export class RenderedAnswers<Data> {
  readonly #mostBytes: number;
  readonly #kept = new Map<string, Kept<Data>>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(name: string, stamp: string): Rendered<Data> | undefined {
    const kept = this.#kept.get(name);
    if (kept?.stamp !== stamp) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    return kept.rendered;
  }

  set(name: string, stamp: string, rendered: Rendered<Data>): void {
    this.#drop(name);
    if (rendered.bytes.length > this.#mostBytes) return;
    this.#kept.set(name, { stamp, rendered });
    this.#bytes += rendered.bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.rendered.bytes.length ?? 0;
    this.#kept.delete(name);
  }
}
