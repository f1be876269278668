import { fileURLToPath } from 'node:url';
import { runNode } from '../support/node-program.ts';

// Its program is no module that it exports: it lies beside its manifest.
const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

/** A worker process killed at every step of a pass, one after the other: the suite takes four of them. */
export const killWorkerAtEachStep = (): Promise<boolean> => atEachStep('tests/system/worker-is-killed.test.ts');

/** A worker killed at every step, and the next one at every step of settling that: the suite takes three pairs. */
export const killWorkerTwice = (): Promise<boolean> => atEachStep('tests/host/killed.test.ts');

async function atEachStep(file: string): Promise<boolean> {
  const { status } = await runNode([vitest, 'run', file, '--reporter=verbose'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, KILL_STEPS: 'all' },
    stdio: 'inherit',
  });
  return status === 0;
}
