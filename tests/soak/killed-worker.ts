import { fileURLToPath } from 'node:url';
import { runNode } from '../support/node-program.ts';

// The program is not an export of its package, so the path is relative to the manifest.
const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

/** A worker process is killed at each step of a pass in turn. The suite takes four of the steps. */
export const killWorkerAtEachStep = (): Promise<boolean> =>
  atEachStep('tests/system/worker-is-killed.check.ts', '--config=tests/long/vitest.config.ts');

/** A worker is killed at each step, and its successor at each step of the recovery. The suite takes three pairs. */
export const killWorkerTwice = (): Promise<boolean> => atEachStep('tests/host/killed.test.ts');

/** The driver app is killed at each operation of a delivery. The pages' suite takes two of them. */
export const killAppAtEachOperation = (): Promise<boolean> =>
  atEachStep('tests/pages/killed.check.ts', '--config=tests/pages/vitest.config.ts');

async function atEachStep(file: string, ...options: readonly string[]): Promise<boolean> {
  const { status } = await runNode([vitest, 'run', file, '--reporter=verbose', ...options], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, KILL_STEPS: 'all' },
    stdio: 'inherit',
  });
  return status === 0;
}
