import { Counter, Histogram, type Registry } from 'prom-client';
import type { HostWatch, StatementOutcome } from '../replication/control/watch.ts';

const outcomes: readonly StatementOutcome[] = [
  'done',
  'passing',
  'system',
  'not_journaled',
  'duplicate',
  'poison',
  'setup',
];

/** Figures of the traffic to the host. */
export function countHost(registry: Registry): HostWatch {
  const registers = [registry];
  const statements = new Counter({
    name: 'tailgate_host_statements_total',
    help: 'Statements and commits on the host, by the class of their failure',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of outcomes) statements.inc({ outcome }, 0);
  const durations = new Histogram({
    name: 'tailgate_host_statement_seconds',
    help: 'Time of a statement or a commit on the host',
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers,
  });
  const hosted = new Histogram({
    name: 'tailgate_host_change_seconds',
    help: 'Time from the acceptance of a change to its row on the host',
    buckets: [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 7_200],
    registers,
  });
  const parked = new Counter({
    name: 'tailgate_host_refused_total',
    help: 'Attempts to write a stop that the host rejected and that parked it',
    registers,
  });
  return {
    statement: (outcome, ms) => {
      statements.inc({ outcome });
      durations.observe(ms / 1_000);
    },
    stopReplicated: ({ outcome, changes, at }) => {
      if (outcome === 'parked') parked.inc();
      else
        for (const { receivedAt } of changes) hosted.observe(Math.max(0, at.getTime() - receivedAt.getTime()) / 1_000);
    },
  };
}
