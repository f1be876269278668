import { afterAll, afterEach, vi } from 'vitest';
import { endFile } from './file-end.ts';
import { activeResources, leakedSince } from './leaks.ts';
import { takeOpenWaits } from './open-waits.ts';

// Set up around every test file. Hooks end in reverse order, so this `afterAll` ends last.
const before = activeResources();
let failed = false;

afterEach(({ task }) => {
  const waits = takeOpenWaits();
  if (task.result?.state !== 'fail') return;
  failed = true;
  // A time limit names no step: a second error of the test does.
  if (waits.length > 0) throw new Error(`the test still waits at\n${waits.join('\n')}`);
});

afterAll(async () => {
  await endFile(failed);
  // Later files of this process have the real globals.
  vi.unstubAllGlobals();
  const leaked = await leakedSince(before);
  if (leaked.length > 0) {
    throw new Error(`this file left something open: ${leaked.join(', ')}. Close it in the test or in afterAll.`);
  }
});
