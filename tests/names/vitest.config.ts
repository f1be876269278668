import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ssr = { resolve: { conditions: ['source'], externalConditions: ['source'] } };
const options = {
  setupFiles: 'tests/support/each-file.ts',
  pool: 'forks',
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
} as const;

/**
 * `npm run test:names`: the suites of the host against a library with names of its own. `map`: the service works by a map
 * with names, lengths and codes (`tests/support/own-names.json`), clerks and dispatchers by views with our names. `views`:
 * the service works on plain views, too, without a map, and by polling (`tests/support/view-names.json`).
 */
export default defineConfig({
  root,
  ssr,
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    maxWorkers: 2,
    projects: [
      {
        root,
        ssr,
        test: {
          ...options,
          name: 'map',
          include: ['tests/host/{conformance,compare-and-set,import,osd-emails,replication,shadow-comparison}.test.ts'],
          provide: { hostNames: 'own' },
        },
      },
      {
        root,
        ssr,
        test: {
          ...options,
          name: 'views',
          include: [
            'tests/host/{conformance,compare-and-set,import-polling,osd-emails,replication,shadow-comparison}.test.ts',
            'tests/names/on-views.check.ts',
          ],
          provide: { hostNames: 'views' },
        },
      },
    ],
  },
});
