import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** CI takes the suites that meet the driver itself: types, errors, links, transactions, code pages. */
const isSampled = process.env['CI'] !== undefined;

/** `npm run soak -- db2` */
const whole = [
  'tests/host/{change-numbers,counted-files,first-load,import-closing,import-feed,import-polling,log-lines,osd-emails,plan-change,reconciliation,replay,replication-edits,replication-nodes}.test.ts',
  'tests/host/{exercise,facility-modes}.check.ts',
  'tests/system/worker-is-killed.check.ts',
];

/** `npm run test:db2`: the host through the real ibm_db package, on the stand-in for IBM's client library. */
export default defineConfig({
  root,
  ssr: { resolve: { conditions: ['source'], externalConditions: ['source'] } },
  test: {
    include: [
      'tests/db2/*.check.ts',
      // The suites that the stand-in's own driver runs, too.
      'tests/host/{broken-links,compare-and-set,conformance,handshake,import,named-faults,replication,row-replication}.test.ts',
      ...(isSampled ? [] : whole),
    ],
    globalSetup: ['tests/db2/build-ibm-db.ts', 'tests/support/global-setup.ts'],
    setupFiles: ['tests/support/each-file.ts'],
    provide: { hostDriver: 'ibm_db' },
    // The folder of the package; a real installation has it in its own node_modules. The locale has no UTF-8, as under
    // systemd: our encoding must not depend on it.
    env: { NODE_PATH: `${root}tests/db2/.build/node_modules`, LC_ALL: 'C', DB2CODEPAGE: '' },
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
