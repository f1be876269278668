import type { FastifyReply, FastifyRequest } from 'fastify';
import { ByteCache } from '../../wire/byte-cache.ts';
import { EncodedBytes, sendEncoded } from './encoded-bytes.ts';

/** A whole answer as bytes. Many requests share it without a copy. */
export class RenderedAnswer extends EncodedBytes {
  /** Its memory with compressed forms: a tenth of our JSON, and little more for hostile input. */
  get weight(): number {
    return Math.ceil(this.bytes.length * 1.25);
  }
}

/** A rendered answer of type `Data`; `says` exists for the compiler only. */
export type Rendered<Data> = RenderedAnswer & { readonly says: Data };

const sentAs = {
  type: 'application/json; charset=utf-8',
  cacheControl: 'private, no-cache',
  // Another driver on the same phone gets another answer.
  varies: ['employee_id', 'api_token', 'employee-id', 'api-token'],
};

export const sendRendered = (
  rendered: RenderedAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> => sendEncoded(rendered, sentAs, request, reply);

interface CachedAnswer<Answer> {
  /** The version of the sources. Another stamp means another answer. */
  readonly stamp: string;
  readonly answer: Answer;
}

/** Rendered answers by name, with the latest stamp of each. */
export class RenderedAnswers<Answer extends { readonly weight: number }> {
  readonly #cache: ByteCache<CachedAnswer<Answer>>;

  constructor(maxBytes: number) {
    this.#cache = new ByteCache(maxBytes, ({ answer }) => answer.weight);
  }

  get(name: string, stamp: string): Answer | undefined {
    const kept = this.#cache.get(name);
    if (kept?.stamp !== stamp) return undefined;
    this.#cache.put(name, kept);
    return kept.answer;
  }

  /** The latest answer with any stamp, from which the next one can be made. */
  latest(name: string): Answer | undefined {
    return this.#cache.get(name)?.answer;
  }

  set(name: string, stamp: string, answer: Answer): void {
    this.#cache.put(name, { stamp, answer });
  }
}
