import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

// `npm run test:citus`: needs a cluster, which no package registry has. CITUS_URL is a superuser at the coordinator.

if (process.env['CITUS_URL'] === undefined) {
  process.stdout.write('NOT RUN: npm run test:citus, CITUS_URL is unset (docs/testing.md)\n');
} else {
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const { status } = spawnSync('npx', ['vitest', 'run', '--config', config], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
