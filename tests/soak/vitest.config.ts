import { defineConfig } from 'vitest/config';
import long from '../long/vitest.config.ts';

/** `npm run soak -- suites`: tests named `*.soak.ts`, which are too slow for `.ci/run`. */
export default defineConfig({ ...long, test: { ...long.test, include: ['tests/**/*.soak.ts'], maxWorkers: 2 } });
