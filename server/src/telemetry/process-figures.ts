import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Rare enough to cost nothing, frequent enough for delays that a phone would notice. */
const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
/** The names, help texts and units that every Prometheus client gives a process. */
const standard = {
  cpu: { name: 'process_cpu_seconds_total', help: 'Total user and system CPU time spent in seconds.' },
  memory: { name: 'process_resident_memory_bytes', help: 'Resident memory size in bytes.' },
  start: {
    name: 'process_start_time_seconds',
    help: 'Start time of the process since unix epoch in seconds.',
  },
};

/** Figures of the process itself. The library's own set has thirty series more and cannot be stopped. */
export function watchProcess(registry: Registry): { readonly stop: () => void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const figures = [
    new Gauge({
      name: 'tailgate_event_loop_delay_seconds',
      help: 'Delay of the event loop since the last scrape, by quantile',
      labelNames: ['quantile'],
      registers: [],
      collect() {
        for (const quantile of [0.5, 0.99, 1]) {
          const late = delay.count === 0 ? 0 : delay.percentile(quantile * 100) / NANOSECONDS - RESOLUTION_MS / 1_000;
          this.set({ quantile }, Math.max(0, late));
        }
        delay.reset();
      },
    }),
    new Counter({
      ...standard.cpu,
      registers: [],
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / MICROSECONDS);
      },
    }),
    new Gauge({
      ...standard.memory,
      registers: [],
      collect() {
        this.set(process.memoryUsage.rss());
      },
    }),
    new Gauge({
      ...standard.start,
      registers: [],
      collect() {
        this.set(performance.timeOrigin / 1_000);
      },
    }),
  ];
  for (const figure of figures) registry.registerMetric(figure);
  return { stop: () => delay.disable() };
}
