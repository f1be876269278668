import { RandomIdGenerator, type IdGenerator } from '@opentelemetry/sdk-trace';

/** Ids of a span, in lower-case hex: 32 and 16 digits. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * For a change's first span. A UUID is as long as a trace's id; its second half, nearly all of it random, names the
 * span.
 */
export function idsOf(mutation: string): SpanIds {
  const traceId = mutation.replaceAll('-', '').toLowerCase();
  return { traceId, spanId: traceId.slice(16) };
}

/** Returns the ids that are set for the next span, else random ones. Spans begin synchronously. */
export class PresetIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  next: SpanIds | undefined;

  generateTraceId(): string {
    return this.next?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.next?.spanId ?? this.#random.generateSpanId();
  }
}
