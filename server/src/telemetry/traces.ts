import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { Attributes, Context, Link, SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { routeScope } from '@tailgate/sync-protocol';
import type { RequestWatch } from '../http/server/request-watch.ts';
import { resultOf, type CommitWatch, type SettledBatch, type SettledChange } from '../mutations/intake/watch.ts';
import type { ReplicatedStop, HostWatch } from '../replication/control/watch.ts';
import { openOtlp, type OtlpOptions } from './otlp.ts';
import { PresetIds, idsOf, type SpanIds } from './trace-ids.ts';

/** For a stop that collected changes through an outage, the newest. */
const MAX_CHANGES_PER_STOP = 100;

/** A finished operation. Moments are of `performance.now()`, in ms. */
interface FinishedSpan {
  /** Its parent; without one it begins a trace. */
  readonly parent?: Context;
  /** An id of its own choice. */
  readonly ids?: SpanIds;
  readonly begunAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly links?: Link[];
  readonly failed?: boolean;
}

/**
 * Traces of changes. A mutation's id is its trace's id without hyphens: ledger and worker need not carry a trace's id, on
 * any node, and each id gives the other.
 *
 *   change stop.update        arrival to answer, on the node that accepted it; links to its request
 *   ├─ commit                 its batch
 *   └─ replicate stop         on the worker's node, for each change that the stop's write included
 *
 * A request has a span in its caller's trace (W3C Trace Context). Attributes name the author, the place and the outcome;
 * they contain no recorded values and no credential.
 */
export class Traces implements Pick<CommitWatch, 'settled'>, Pick<HostWatch, 'stopReplicated'>, RequestWatch {
  readonly #ids = new PresetIds();
  readonly #otlp;
  readonly #requests = new Map<string, SpanContext>();

  constructor(options: Omit<OtlpOptions, 'ids'>) {
    this.#otlp = openOtlp({ ...options, ids: this.#ids });
  }

  /** Sends the remaining spans. */
  stop(): Promise<void> {
    return this.#otlp.stop();
  }

  begun({ id, method, route, traceparent }: Parameters<RequestWatch['begun']>[0]): ReturnType<RequestWatch['begun']> {
    const caller = parseTraceParent(traceparent ?? '');
    const parent = caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT;
    const attributes = { 'http.request.method': method, 'http.route': route, 'tailgate.request_id': id };
    const span = this.#otlp.tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    this.#requests.set(id, span.spanContext());
    return (status) => {
      this.#requests.delete(id);
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  }

  settled(batch: SettledBatch): void {
    for (const change of batch.changes) this.#change(change, batch);
  }

  stopReplicated({ route, stop, version, trace: hostTrace, outcome, changes, begunAt, endedAt }: ReplicatedStop): void {
    const attributes = {
      'tailgate.route': routeScope(route),
      'tailgate.stop': stop,
      'tailgate.version': version,
      'tailgate.outcome': outcome,
      ...(hostTrace !== undefined && { 'tailgate.host_trace': hostTrace }),
    };
    const failed = outcome === 'parked';
    for (const { id } of changes.slice(-MAX_CHANGES_PER_STOP)) {
      this.#span('replicate stop', { parent: this.#rootOf(id), begunAt, endedAt, attributes, failed });
    }
  }

  #change({ item, answer, takenAt }: SettledChange, { changes, begunAt, endedAt }: SettledBatch): void {
    const { id, name, source, queued, meaning, requestId } = item;
    const outcome = answer.kind === 'done' ? answer.outcome : undefined;
    const result = resultOf(answer);
    const request = requestId === undefined ? undefined : this.#requests.get(requestId);
    const readable = meaning.kind !== 'unreadable';
    // A repeated change has its answer in the existing trace.
    const again = result === 'duplicate' || result === 'out_of_step';
    const parent = this.#span(readable ? `change ${name}` : 'change', {
      ...(again ? { parent: this.#rootOf(id) } : { ids: idsOf(id) }),
      begunAt: takenAt,
      endedAt,
      attributes: {
        'tailgate.mutation': id,
        'tailgate.source': source,
        'tailgate.result': result,
        ...(queued && { 'tailgate.queue': queued.queue.clientId, 'tailgate.seq': queued.seq }),
        ...(requestId !== undefined && { 'tailgate.request_id': requestId }),
        ...(meaning.kind === 'command' && {
          'tailgate.route': meaning.scope,
          'tailgate.stop': meaning.stop,
        }),
        ...(outcome && 'version' in outcome && { 'tailgate.version': outcome.version }),
        ...(outcome && 'code' in outcome && { 'tailgate.code': outcome.code }),
      },
      links: request ? [{ context: request }] : [],
      failed: outcome?.result === 'quarantined' && outcome.code === 'INTERNAL',
    });
    const attributes = { 'tailgate.batch_changes': changes.length };
    this.#span('commit', { parent, begunAt: Math.max(begunAt, takenAt), endedAt, attributes });
  }

  /** A change's first span, from any node. */
  #rootOf(mutation: string): Context {
    const ids = idsOf(mutation);
    const traceFlags = this.#otlp.keeps(ids.traceId) ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(ROOT_CONTEXT, { ...ids, traceFlags, isRemote: true });
  }

  /** Begins and ends a span with a past time; returns the parent for its children. */
  #span(
    name: string,
    { parent = ROOT_CONTEXT, ids, begunAt, endedAt, attributes, links = [], failed }: FinishedSpan,
  ): Context {
    this.#ids.next = ids;
    const span = this.#otlp.tracer.startSpan(name, { startTime: epochMs(begunAt), attributes, links }, parent);
    this.#ids.next = undefined;
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(epochMs(endedAt));
    return trace.setSpan(parent, span);
  }
}

const epochMs = (moment: number): number => performance.timeOrigin + moment;
