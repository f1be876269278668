import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Once a run, before any test; does nothing where nothing has changed. */
export function setup(): void {
  const { status } = spawnSync(fileURLToPath(new URL('build.sh', import.meta.url)), { stdio: 'inherit' });
  if (status !== 0) throw new Error('the package odbc could not be built (tests/odbc/build.sh)');
}
