import { Counter, exponentialBuckets, Histogram, type Registry } from 'prom-client';
import { BATCH_SIZE } from '../mutations/intake/pipeline.ts';
import { resultOf, type CommitWatch, type Result } from '../mutations/intake/watch.ts';
import type { Item, QuarantineCode } from '../mutations/change.ts';

const sources: readonly Item['source'][] = ['sync', 'rest', 'office', 'timer'];
const results: readonly Result[] = ['applied', 'duplicate', 'quarantined', 'out_of_step'];
const codes: readonly QuarantineCode[] = [
  'VALIDATION_FAILED',
  'UNKNOWN_MUTATION',
  'ROUTE_NOT_FOUND',
  'STOP_NOT_FOUND',
  'NOT_ASSIGNED',
  'ID_REUSED',
  'INTERNAL',
];

/** Figures of accepted changes. A batch is one call, and each series exists from the start: a rise from zero shows. */
export function countChanges(registry: Registry): CommitWatch {
  const registers = [registry];
  const taken = new Counter({
    name: 'tailgate_mutations_total',
    help: 'Answered changes, by result and source',
    labelNames: ['result', 'source'],
    registers,
  });
  for (const result of results) for (const source of sources) taken.inc({ result, source }, 0);
  const quarantined = new Counter({
    name: 'tailgate_quarantined_total',
    help: 'Changes in quarantine, by reason; INTERNAL is a fault of the server',
    labelNames: ['code'],
    registers,
  });
  for (const code of codes) quarantined.inc({ code }, 0);
  const ack = new Histogram({
    name: 'tailgate_ack_seconds',
    help: 'Time from the receipt of a change to its answer, after the commit',
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15],
    registers,
  });
  const sizes = new Histogram({
    name: 'tailgate_batch_changes',
    help: 'Changes in one commit',
    // Up to a full batch: full batches show a storm.
    buckets: exponentialBuckets(1, 2, Math.log2(BATCH_SIZE) + 1),
    registers,
  });
  const failed = new Counter({
    name: 'tailgate_changes_unanswered_total',
    help: 'Changes whose batch failed; their senders send them again',
    registers,
  });
  return {
    settled: ({ changes, endedAt }) => {
      sizes.observe(changes.length);
      const counts = new Map<Result, Map<Item['source'], number>>();
      for (const { item, answer, takenAt } of changes) {
        ack.observe((endedAt - takenAt) / 1_000);
        const result = resultOf(answer);
        const bySource = counts.get(result) ?? new Map<Item['source'], number>();
        counts.set(result, bySource.set(item.source, (bySource.get(item.source) ?? 0) + 1));
        // A failed release of an operator is counted already.
        if (answer.kind === 'done' && answer.outcome.result === 'quarantined' && !item.release)
          quarantined.inc({ code: answer.outcome.code });
      }
      for (const [result, bySource] of counts)
        for (const [source, count] of bySource) taken.inc({ result, source }, count);
    },
    failed: (items) => failed.inc(items),
  };
}
