import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { SettledChange } from '../../../server/src/mutations/intake/watch.ts';
import type { ReplicatedStop } from '../../../server/src/replication/control/watch.ts';
import { Traces } from '../../../server/src/telemetry/traces.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { startTraceCollector } from '../../support/trace-collector.ts';

const collector = await startTraceCollector();
const route = { facility: 'F01', id: 'R1', week_end: '20261121' };

function openTraces(share: number, endpoint = collector.url) {
  const log = recordedLog();
  const traces = new Traces({ endpoint, share, node: { version: '1.2.3', role: 'all' }, log });
  return { log, traces };
}

function change(id: string, result: 'applied' | 'duplicate' = 'applied'): SettledChange {
  return {
    takenAt: performance.now(),
    item: {
      id,
      hash: Buffer.of(),
      body: '{"driver_comments":"not for traces"}',
      name: 'stop.update',
      source: 'sync',
      actor: { kind: 'driver', employee: '1001' },
      paths: 'current',
      receivedAt: new Date(),
      capturedAt: null,
      editTime: null,
      queued: null,
      dedupeByContent: false,
      meaning: { kind: 'unreadable', fault: { code: 'VALIDATION_FAILED', reason: '', details: [] } },
    },
    answer: {
      kind: 'done',
      lastSeq: 1,
      outcome: { result, version: 2, stopVersion: 2, status: 'D', routeStatus: 'O', changed: true, warnings: [] },
    },
  };
}

const settled = (...changes: SettledChange[]) => ({ changes, begunAt: performance.now(), endedAt: performance.now() });

const broughtWith = (ids: readonly string[]): ReplicatedStop => ({
  route,
  stop: 1,
  version: 2,
  trace: '7FG7G33DAGVR',
  outcome: 'on_host',
  changes: ids.map((id) => ({ id, receivedAt: new Date() })),
  at: new Date(),
  begunAt: performance.now(),
  endedAt: performance.now(),
});

const traceIdsOf = (name: string, ids: readonly string[]) => {
  const asked = new Set(ids.map((id) => id.replaceAll('-', '')));
  const named = collector.spans.filter((span) => span.name === name && asked.has(span.traceId));
  return named.map(({ traceId }) => traceId).toSorted();
};

test('two nodes keep the same share of the traces, without communication', async () => {
  const [api, worker] = [openTraces(0.5), openTraces(0.5)];
  const ids = Array.from({ length: 60 }, () => randomUUID());
  api.traces.settled(settled(...ids.map((id) => change(id))));
  worker.traces.stopReplicated(broughtWith(ids));
  await Promise.all([api.traces.stop(), worker.traces.stop()]);
  const kept = traceIdsOf('change', ids);
  expect(traceIdsOf('replicate stop', ids)).toEqual(kept);
  expect(traceIdsOf('commit', ids)).toEqual(kept);
  // One of 2^60 runs keeps all or none.
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(ids.length);
});

test('a repeated change adds to the existing trace', async () => {
  const { traces } = openTraces(1);
  const id = randomUUID();
  traces.settled(settled(change(id)));
  traces.settled(settled(change(id, 'duplicate')));
  await traces.stop();
  const spans = collector.spans.filter(({ traceId, name }) => traceId === id.replaceAll('-', '') && name === 'change');
  const [first, again] = [spans.find((one) => !one.parentSpanId), spans.find((one) => one.parentSpanId)];
  expect(spans).toHaveLength(2);
  expect(again).toMatchObject({ parentSpanId: first?.spanId, attributes: { 'tailgate.result': 'duplicate' } });
});

test('a collector that is unreachable is logged once, and only its traces are lost', async () => {
  const { traces, log } = openTraces(1, `${collector.url}/no/such`);
  traces.settled(settled(change(randomUUID())));
  await traces.stop().catch(() => undefined);
  expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'warn traces do not reach the collector',
  ]);
});
