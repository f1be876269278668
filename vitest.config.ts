import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Workspace packages are taken as source: nothing is built before a test. Both lists are needed, `resolve` is not.
  ssr: { resolve: { conditions: ['source', 'node'], externalConditions: ['source', 'node'] } },
  test: {
    include: ['tests/**/*.test.ts', 'tests/**/*.test.tsx'],
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/each-file.ts'],
    // Modules are loaded once a process, not once a file: a third of the time. A resource that a test leaves open
    // still fails its own file, see each-file.ts.
    pool: 'forks',
    isolate: false,
    // Most files wait for processes, timers and disks: more of them than cores keeps two cores busy.
    maxWorkers: 3,
    // A busy machine is no failure: the limit finds tests that hang; other suites measure speed.
    testTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 120_000,
  },
});
