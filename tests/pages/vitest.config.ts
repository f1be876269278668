import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { isSampled } from './sampling.ts';

/** Stories of minutes, whose parts other files tell, too: CI leaves them out. */
const long = ['many-photos', 'office-demo-day', 'sample-beside'];

/** `npm run test:pages`: the built pages in a real Chromium, against the real server; too slow for `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  ssr: { resolve: { conditions: ['source', 'node'], externalConditions: ['source', 'node'] } },
  test: {
    include: ['tests/pages/*.check.ts'],
    exclude: isSampled ? long.map((name) => `tests/pages/${name}.check.ts`) : [],
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/each-file.ts'],
    pool: 'forks',
    // Modules are loaded once a process: a tenth of the CPU. Each file still closes what it opens, see each-file.ts.
    isolate: false,
    // Each file runs a server, two databases and a browser: about 1 GB. Three keep two cores busy; a fourth makes waits longer.
    maxWorkers: 3,
    reporters: ['verbose'],
    // A busy machine is no failure: each wait of a story has a limit of its own.
    testTimeout: 240_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
