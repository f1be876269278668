import { openTelemetry } from '../../server/src/telemetry/open.ts';
import { recordedLog } from '../support/recorded-log.ts';

export interface ExposedFigure {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Every figure that a process of any role may report, as Prometheus reads it. */
export async function exposedFigures(): Promise<ExposedFigure[]> {
  const log = recordedLog();
  const node = { version: '0.0.0', role: 'all' } as const;
  const telemetry = await openTelemetry({ node, otelEndpoint: undefined, traceShare: 1, log });
  const { figures } = telemetry;
  figures.followMirror({ db: { query: () => Promise.reject(new Error('none here')) }, log });
  figures.followHost(() => undefined);
  figures.followSockets(() => 0);
  figures.addPool('requests', { totalCount: 0, idleCount: 0, waitingCount: 0 });
  const { text } = await figures.read();
  await telemetry.stop();
  return text.split('# HELP ').slice(1).map(readFigure);
}

function readFigure(block: string): ExposedFigure {
  const [, name = '', help = ''] = /^(\S+) (.*)$/m.exec(block) ?? [];
  const type = /^# TYPE \S+ (\w+)$/m.exec(block)?.[1] ?? '';
  const labels = [...(/\{(.*?)\}/.exec(block)?.[1] ?? '').matchAll(/(\w+)="/g)].map(([, label = '']) => label);
  return { name, type, help, labels: labels.filter((label) => label !== 'le') };
}
