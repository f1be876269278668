import type { SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { atProcessExit } from './process-exit.ts';

export interface ProgramEnd {
  readonly status: number | null;
  /** Its error output; empty where that went to the terminal. */
  readonly stderr: string;
}

/**
 * Runs a program on this Node to its end. If this process ends first, the program gets a signal, so that it can
 * clean up.
 */
export async function runNode(args: readonly string[], options: SpawnOptions): Promise<ProgramEnd> {
  const child = spawn(process.execPath, args, options);
  const ended = atProcessExit(() => void child.kill('SIGTERM'));
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  ended();
  return { status: child.exitCode, stderr };
}
