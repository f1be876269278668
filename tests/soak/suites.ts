import { fileURLToPath } from 'node:url';
import { runNode } from '../support/node-program.ts';

// The program is not an export of its package, so the path is relative to the manifest.
const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

/** Runs test files. @returns whether all passed */
export async function runSuite(options: readonly string[], env: Record<string, string> = {}): Promise<boolean> {
  const { status } = await runNode([vitest, 'run', ...options], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  return status === 0;
}

/** Tests named `*.soak.ts`: many processes, whole days, restored databases. */
export const runSlowTests = (): Promise<boolean> => runSuite(['--config=tests/soak/vitest.config.ts']);

/** All suites of the host that run through the real ibm_db; CI takes some of them. */
export const runWithIbmDb = (): Promise<boolean> => runSuite(['--config=tests/db2/vitest.config.ts']);
