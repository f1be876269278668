import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { choosePort } from '../../server/src/embedded-postgres/cluster.ts';
import { atProcessExit } from '../support/process-exit.ts';
import { processCpu } from './fixture.ts';

export interface Child {
  readonly url: string;
  readonly port: number;
  /** CPU seconds that the process has used so far; Linux only, else NaN. */
  readonly cpu: () => number;
  readonly pid: number | undefined;
  /** Runs a garbage collection in the process; only with `collecting`. */
  collect(): Promise<void>;
  stop(): Promise<void>;
}

/** `BENCH_PROFILE=folder`: every measured server writes its CPU profile there. */
const { BENCH_PROFILE: profileFolder } = process.env;
/** Flags of a server whose memory is measured. */
export const collecting = ['--expose-gc', `--import=${join(import.meta.dirname, 'collect-garbage.ts')}`];
const profiling = profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : [];

/** Starts a server process and waits for the line that reports it as ready. */
export async function startChild(
  file: string,
  env: Record<string, string>,
  ready: RegExp,
  args: string[] = [],
  flags: string[] = [],
): Promise<Child> {
  const port = await choosePort();
  const path = join(import.meta.dirname, file);
  const child = spawn(process.execPath, ['--conditions=source', ...profiling, ...flags, path, ...args], {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.once(
    'close',
    atProcessExit(() => void child.kill('SIGKILL')),
  );
  await untilReady(child, ready);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid,
    cpu: () => processCpu(child.pid),
    collect: async () => {
      const done = once(child.stdout, 'data');
      child.kill('SIGUSR2');
      await done;
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('close', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function untilReady(child: ChildProcess, ready: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (ready.test(output)) resolve();
    });
    child.once('close', (code) => reject(new Error(`it ended (${code}) before it was ready: ${output}`)));
  });
}

/** The real server as `npm start` runs it, API only, on this database. */
export function startTailgate(
  databaseUrl: string,
  dataDir: string,
  role = 'api',
  flags: string[] = [],
  settings: Record<string, string> = {},
): Promise<Child> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, LOG_LEVEL: 'warn', DEMO: '0', ...settings };
  return startChild('../../server/src/main.ts', env, /^Tailgate is ready\b/m, ['--role', role], flags);
}

export function startBaseline(databaseUrl: string, flags: string[] = []): Promise<Child> {
  return startChild('baseline-server.ts', { DATABASE_URL: databaseUrl }, /^ready /m, [], flags);
}

export function startFloor(databaseUrl: string, flags: string[] = []): Promise<Child> {
  return startChild('floor-server.ts', { DATABASE_URL: databaseUrl }, /^ready$/m, [], flags);
}

/** The log of this database, without any other work of a worker. */
export function startLogWorker(databaseUrl: string, dataDir: string): Promise<Child> {
  return startChild('log-worker.ts', { DATABASE_URL: databaseUrl, DATA_DIR: dataDir }, /^ready$/m);
}

export function startRestBaseline(databaseUrl: string): Promise<Child> {
  return startChild('rest-baseline-server.ts', { DATABASE_URL: databaseUrl }, /^ready /m);
}
