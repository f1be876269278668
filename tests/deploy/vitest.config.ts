import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * `npm run test:proxy`: tests that need an nginx on the machine (Debian: nginx-light) and so are not part of `npm
 * test`.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: { include: ['tests/deploy/*.check.ts'], testTimeout: 10_000 },
});
