import type { SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endsWithUs } from './ends-with-us.ts';

export interface Ending {
  readonly status: number | null;
  /** What it complained of; empty where that went to the terminal. */
  readonly stderr: string;
}

/** Runs a program on our own Node to its end. Where we end first it is told to, so that it can clear up after itself. */
export async function runNode(args: readonly string[], options: SpawnOptions): Promise<Ending> {
  const child = spawn(process.execPath, args, options);
  const ended = endsWithUs(() => void child.kill('SIGTERM'));
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  ended();
  return { status: child.exitCode, stderr };
}
