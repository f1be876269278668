import { expect, test } from 'vitest';
import { rehearse } from '../../../server/src/sync/warm-up/rehearsal.ts';

test('a rehearsal is of what follows: every change that it plays is applied', async () => {
  await expect(rehearse()).resolves.toBe(4_096);
});
