import { ROOT_CONTEXT } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type IdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../runtime/log.ts';
import type { Node } from './figures.ts';

export interface OtlpOptions {
  /** The collector's address for OTLP over HTTP; `v1/traces` is appended. */
  readonly endpoint: string;
  /** From 0 to 1, of traces that begin here. */
  readonly share: number;
  readonly node: Node;
  readonly ids: IdGenerator;
  readonly log: Log;
}

/** Limit while many phones reconnect: further spans are dropped, and the phones are not slowed down. */
const MAX_SPANS_WAITING = 16_384;
const SEND_EVERY_MS = 1_000;
/** For one export, tries included: a server that stops does not wait longer for a collector that is away. */
const PATIENCE_MS = 5_000;

/**
 * OpenTelemetry's own parts without its global state: a process may contain several servers. This file is loaded only
 * where a collector is configured.
 */
export function openOtlp({ endpoint, share, node, ids, log }: OtlpOptions) {
  const url = new URL('v1/traces', endpoint.replace(/\/*$/, '/')).href;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: PATIENCE_MS });
  const root = new TraceIdRatioBasedSampler(share);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'tailgate',
      'service.version': node.version,
      'tailgate.role': node.role,
    }),
    sampler: new ParentBasedSampler({ root }),
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reporting(exporter, log),
        maxQueueSize: MAX_SPANS_WAITING,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: PATIENCE_MS,
      }),
    ],
  });
  return {
    /** Whether a trace that begins here is sampled: by its id alone, so that all nodes agree. */
    keeps: (traceId: string) =>
      root.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED,
    tracer: provider.getTracer('tailgate', node.version),
    stop: () => provider.shutdown(),
  };
}

/** Logs when the collector goes away and when it is back: the library itself does not. */
function reporting(exporter: SpanExporter, log: Log): SpanExporter {
  let away = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !away) log.warn({ err: result.error, spans: spans.length }, 'traces do not reach the collector');
        if (!failed && away) log.info({}, 'traces reach the collector again');
        away = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
