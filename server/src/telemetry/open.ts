import type { RequestWatch } from '../http/server/request-watch.ts';
import type { Log } from '../runtime/log.ts';
import type { CommitWatch } from '../mutations/intake/watch.ts';
import type { HostWatch } from '../replication/control/watch.ts';
import { openFigures, type Figures, type Node } from './figures.ts';

export interface TelemetryOptions {
  readonly node: Node;
  /** OpenTelemetry's collector, and its share of traces, from 0 to 1. */
  readonly otelEndpoint: string | undefined;
  readonly traceShare: number;
  readonly log: Log;
}

/** Reports of a process about its work: figures always, traces where a collector is configured. */
export interface Telemetry {
  readonly figures: Figures;
  readonly changes: CommitWatch;
  readonly host: HostWatch;
  /** Undefined without a collector. */
  readonly requests: RequestWatch | undefined;
  stop(): Promise<void>;
}

export async function openTelemetry({ node, otelEndpoint, traceShare, log }: TelemetryOptions): Promise<Telemetry> {
  const figures = openFigures(node);
  const { changes, host } = figures;
  if (otelEndpoint === undefined) {
    return { figures, changes, host, requests: undefined, stop: async () => figures.stop() };
  }
  // Loaded only here: without a collector traces cost nothing.
  const { Traces } = await import('./traces.ts');
  const traces = new Traces({ endpoint: otelEndpoint, share: traceShare, node, log });
  return {
    figures,
    changes: {
      settled: (batch) => {
        changes.settled(batch);
        traces.settled(batch);
      },
      failed: (items) => changes.failed(items),
    },
    host: {
      statement: (outcome, ms) => host.statement(outcome, ms),
      stopReplicated: (stop) => {
        host.stopReplicated(stop);
        traces.stopReplicated(stop);
      },
    },
    requests: traces,
    stop: async () => {
      figures.stop();
      await traces.stop();
    },
  };
}
