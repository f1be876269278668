import { runSuite } from './suites.ts';

/** A worker process is killed at each step of a pass in turn. The suite takes four of the steps. */
export const killWorkerAtEachStep = (): Promise<boolean> =>
  atEachStep('tests/system/worker-is-killed.check.ts', '--config=tests/long/vitest.config.ts');

/** A worker is killed at each step, and its successor at each step of the recovery. The suite takes three pairs. */
export const killWorkerTwice = (): Promise<boolean> => atEachStep('tests/host/killed.test.ts');

/** The driver app is killed at each operation of a delivery. The pages' suite takes two of them. */
export const killAppAtEachOperation = (): Promise<boolean> =>
  atEachStep('tests/pages/killed.check.ts', '--config=tests/pages/vitest.config.ts');

const atEachStep = (file: string, ...options: readonly string[]): Promise<boolean> =>
  runSuite([file, '--reporter=verbose', ...options], { KILL_STEPS: 'all' });
