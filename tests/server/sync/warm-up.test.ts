import { expect, test } from 'vitest';
import { warmUp } from '../../../server/src/sync/warm-up/warm-up.ts';

test('a rehearsal is of what follows: every change that it plays is applied', async () => {
  await expect(warmUp()).resolves.toBe(4_096);
});
