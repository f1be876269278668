import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { startHttpPeer } from './http-peer.ts';

const value = z.union([
  z.object({ stringValue: z.string() }).transform((one) => one.stringValue),
  z.object({ intValue: z.coerce.number() }).transform((one) => one.intValue),
]);
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((list) => Object.fromEntries(list.map((one) => [one.key, one.value])));
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes,
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
});
/** ExportTraceServiceRequest of OTLP 1.x, as JSON, with the fields that tests read. */
const exported = z.object({
  resourceSpans: z.array(
    z.object({ resource: z.object({ attributes }), scopeSpans: z.array(z.object({ spans: z.array(span) })) }),
  ),
});

export type ReceivedSpan = z.infer<typeof span> & { readonly resource: z.infer<typeof attributes> };

export interface TraceCollector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  /** All received spans. */
  readonly spans: readonly ReceivedSpan[];
}

/** Replaces OpenTelemetry's collector for senders of OTLP over HTTP; it stores the spans. It ends with the file. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: ReceivedSpan[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body: unknown = await json(request);
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    for (const { resource, scopeSpans } of exported.parse(body).resourceSpans)
      for (const scope of scopeSpans)
        spans.push(...scope.spans.map((one) => ({ ...one, resource: resource.attributes })));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  return { url: await startHttpPeer((request, response) => void take(request, response)), spans };
}
