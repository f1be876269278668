import { afterAll, afterEach } from 'vitest';
import { endFile } from './file-end.ts';
import { activeResources, leakedSince } from './leaks.ts';

// Set up around every test file. Hooks end in reverse order, so this `afterAll` ends last.
const before = activeResources();
let failed = false;

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await endFile(failed);
  const leaked = await leakedSince(before);
  if (leaked.length > 0) {
    throw new Error(`this file left something open: ${leaked.join(', ')}. Close it in the test or in afterAll.`);
  }
});
