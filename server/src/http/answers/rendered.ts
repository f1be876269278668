import type { FastifyReply, FastifyRequest } from 'fastify';
import { EncodedBytes, sendEncoded } from './encoded-bytes.ts';

/** A whole answer as the bytes that go out, so that what many ask for is put together once and never copied. */
export class RenderedAnswer extends EncodedBytes {
  /** What it takes in memory, compressed forms included: of our JSON they are a tenth, of a hostile one not much more. */
  get weight(): number {
    return Math.ceil(this.bytes.length * 1.25);
  }
}

/** One that says `Data`; `says` is for the compiler only. */
export type Rendered<Data> = RenderedAnswer & { readonly says: Data };

const sentAs = {
  type: 'application/json; charset=utf-8',
  cacheControl: 'private, no-cache',
  // Another driver on the same phone is another answer.
  varies: ['employee_id', 'api_token', 'employee-id', 'api-token'],
};

export const sendRendered = (
  rendered: RenderedAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> => sendEncoded(rendered, sentAs, request, reply);

interface Kept<Answer> {
  /** Of what it was made. Another stamp, another answer. */
  readonly stamp: string;
  readonly answer: Answer;
}

/** Rendered answers by name, the latest stamp of each; those that nobody has asked for the longest go first. */
export class RenderedAnswers<Answer extends { readonly weight: number }> {
  readonly #mostBytes: number;
  readonly #kept = new Map<string, Kept<Answer>>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(name: string, stamp: string): Answer | undefined {
    const kept = this.#kept.get(name);
    if (kept?.stamp !== stamp) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    return kept.answer;
  }

  /** Whatever its stamp: what the next one can be made from. */
  latest(name: string): Answer | undefined {
    return this.#kept.get(name)?.answer;
  }

  set(name: string, stamp: string, answer: Answer): void {
    this.#drop(name);
    if (answer.weight > this.#mostBytes) return;
    this.#kept.set(name, { stamp, answer });
    this.#bytes += answer.weight;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.answer.weight ?? 0;
    this.#kept.delete(name);
  }
}
