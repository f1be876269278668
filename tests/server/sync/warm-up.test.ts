import { expect, test } from 'vitest';
import { warmUp } from '../../../server/src/sync/warm-up/warm-up.ts';

test('the warm-up applies every change that it plays', async () => {
  await expect(warmUp()).resolves.toBe(4_096);
});
