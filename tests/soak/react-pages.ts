import { fileURLToPath } from 'node:url';
import { buildApp } from '../pages/built-app.ts';
import { runNode } from '../support/node-program.ts';

// The program is not an export of its package, so the path is relative to the manifest.
const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

/** All tests of the pages with real React instead of Preact: the way back stays open (decision 106). Each look has all rules. */
export async function testPagesWithReact(): Promise<boolean> {
  const { status } = await runNode([vitest, 'run', '--config=tests/pages/vitest.config.ts'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, PAGES_RUNTIME: 'react', LOOKS: 'all' },
    stdio: 'inherit',
  });
  // `npm start` serves the same folder.
  await buildApp('preact');
  return status === 0;
}
