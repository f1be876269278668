import { buildApp } from '../pages/built-app.ts';
import { runSuite } from './suites.ts';

/** All tests of the pages with real React instead of Preact: the way back stays open (decision 106). Each look has all rules. */
export async function testPagesWithReact(): Promise<boolean> {
  const passed = await runSuite(['--config=tests/pages/vitest.config.ts'], { PAGES_RUNTIME: 'react', LOOKS: 'all' });
  // `npm start` serves the same folder.
  await buildApp('preact');
  return passed;
}
