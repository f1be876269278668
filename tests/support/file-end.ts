import { onTestFinished, TestRunner } from 'vitest';

type Cleanup = (failed: boolean) => Promise<void>;

const cleanups: Cleanup[] = [];

/** Runs `cleanup` after the last test and hook of this file, the latest first; the argument is whether a test failed. */
export function atFileEnd(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}

/** Runs `cleanup` after the test that calls, whatever its result; in a hook of the file, after its last test. */
export function atTestEnd(cleanup: () => Promise<void>): void {
  if (TestRunner.getCurrentTest()) onTestFinished(cleanup);
  else atFileEnd(cleanup);
}

export async function endFile(failed: boolean): Promise<void> {
  const errors: unknown[] = [];
  for (let cleanup = cleanups.pop(); cleanup; cleanup = cleanups.pop()) {
    await cleanup(failed).catch((error: unknown) => errors.push(error));
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, 'several parts could not be closed');
}
