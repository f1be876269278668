import { Counter, Gauge, Registry } from 'prom-client';
import type { DeliveryOutcome } from '../mutations/jobs/deliveries.ts';
import type { CosigningOutcome } from '../tlog/witnesses.ts';
import { countChanges } from './change-figures.ts';
import { countHost } from './host-figures.ts';
import { onlyCell } from '../runtime/cell-name.ts';
import { watchProcess } from './process-figures.ts';
import { watchHost, watchMirror, watchPools, watchSockets } from './state-figures.ts';

export interface Node {
  readonly version: string;
  readonly role: 'api' | 'worker' | 'all';
  readonly cell?: string;
}

export type Figures = ReturnType<typeof openFigures>;

/**
 * The figures of one process for Prometheus. None belongs to a phone, a route or a person: their number does not grow
 * with the work (docs/operations.md lists them). In one of several cells each has the label `cell`.
 */
export function openFigures(node: Node) {
  const registry = new Registry();
  if (node.cell !== undefined && node.cell !== onlyCell) registry.setDefaultLabels({ cell: node.cell });
  new Gauge({
    name: 'tailgate_build_info',
    help: '1, with version and role of this process',
    labelNames: ['version', 'role'],
    registers: [registry],
  }).set({ version: node.version, role: node.role }, 1);
  const ofProcess = watchProcess(registry);
  return {
    changes: countChanges(registry),
    host: countHost(registry),
    deliveries: countDeliveries(registry),
    cosigned: countCosignatures(registry),
    addPool: watchPools(registry),
    followMirror: (mirror: Parameters<typeof watchMirror>[1]) => watchMirror(registry, mirror),
    followHost: (status: Parameters<typeof watchHost>[1]) => watchHost(registry, status),
    followSockets: (count: () => number) => watchSockets(registry, count),
    /** In Prometheus' text format, with its content type. */
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
    stop: ofProcess.stop,
  };
}

const cosigningOutcomes: readonly CosigningOutcome[] = ['signed', 'refused', 'unreachable'];

function countCosignatures(registry: Registry): (outcome: CosigningOutcome) => void {
  const tries = new Counter({
    name: 'tailgate_log_cosignatures_total',
    help: 'Checkpoints of the transparency log that were sent to a witness, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of cosigningOutcomes) tries.inc({ outcome }, 0);
  return (outcome) => tries.inc({ outcome });
}

const outcomes: readonly DeliveryOutcome[] = ['sent', 'deferred', 'given_up'];

/** Figures of mails and messages, and of uploaded files. */
function countDeliveries(registry: Registry) {
  const counter = (name: string, help: string) => {
    const tries = new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
    for (const outcome of outcomes) tries.inc({ outcome }, 0);
    return (outcome: DeliveryOutcome) => tries.inc({ outcome });
  };
  const bytes = new Counter({
    name: 'tailgate_asset_bytes_total',
    help: 'Bytes of stored photos, signatures and other files',
    registers: [registry],
  });
  return {
    mail: counter('tailgate_mails_total', 'Attempts to send a delivery mail, by outcome'),
    textMessage: counter('tailgate_text_messages_total', 'Attempts to send a text message, by outcome'),
    fileArrived: (size: number) => bytes.inc(size),
  };
}
