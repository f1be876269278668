import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `npm run test:odbc`: the host through the real package odbc and PostgreSQL's ODBC driver. */
export default defineConfig({
  root,
  ssr: { resolve: { conditions: ['source'], externalConditions: ['source'] } },
  test: {
    include: [
      'tests/odbc/*.check.ts',
      'tests/host/{broken-links,compare-and-set,conformance,import-feed,replication,row-replication}.test.ts',
    ],
    globalSetup: ['tests/odbc/build-odbc.ts', 'tests/support/global-setup.ts'],
    setupFiles: ['tests/support/each-file.ts'],
    provide: { hostDriver: 'odbc' },
    env: { NODE_PATH: `${root}tests/odbc/.build/node_modules`, LC_ALL: 'C.UTF-8' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
