import { Gauge, Registry } from 'prom-client';
import { countChanges } from './change-figures.ts';
import { countDeliveries } from './delivery-figures.ts';
import { countHost } from './host-figures.ts';
import { watchProcess } from './process-figures.ts';
import { watchHost, watchMirror, watchPools, watchSockets } from './standing-figures.ts';

export interface Node {
  readonly version: string;
  readonly role: 'api' | 'worker' | 'all';
}

export type Figures = ReturnType<typeof openFigures>;

/**
 * The figures of one process for Prometheus. None belongs to a phone, a route or a person: their number does not grow
 * with the work (docs/operations.md lists them).
 */
export function openFigures(node: Node) {
  const registry = new Registry();
  new Gauge({
    name: 'tailgate_build_info',
    help: '1, with version and role of this process',
    labelNames: ['version', 'role'],
    registers: [registry],
  }).set({ ...node }, 1);
  const ofProcess = watchProcess(registry);
  return {
    changes: countChanges(registry),
    host: countHost(registry),
    deliveries: countDeliveries(registry),
    addPool: watchPools(registry),
    followMirror: (mirror: Parameters<typeof watchMirror>[1]) => watchMirror(registry, mirror),
    followHost: (standing: Parameters<typeof watchHost>[1]) => watchHost(registry, standing),
    followSockets: (count: () => number) => watchSockets(registry, count),
    /** In Prometheus' text format, with its content type. */
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
    stop: ofProcess.stop,
  };
}
