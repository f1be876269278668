import { expect, test } from 'vitest';
import { atFileEnd } from '../support/file-end.ts';
import { createDatabase } from '../support/postgres.ts';
import { openDepot, type Depot } from './depot.ts';
import { applyError, patches } from './patches.ts';
import { simulateAll } from './simulation.ts';

/** A short run. CI runs 200 worlds by `npm run simulate`, which accepts any number. PostgreSQL of world 10 is put back. */
const SEEDS = [1, 2, 10];
const STEPS = 80;

async function open(seeds: readonly number[]): Promise<Depot> {
  const depot = await openDepot(createDatabase);
  atFileEnd(() => depot.close());
  await depot.dispatch(seeds);
  return depot;
}

test('the simulated worlds satisfy every invariant under all faults', async () => {
  const { broken } = await simulateAll(await open(SEEDS), SEEDS, STEPS);
  expect(broken).toEqual([]);
}, 300_000);

test('a seed gives the same run each time', async () => {
  const seeds = [7, 10];
  const [first, second] = [await open(seeds), await open(seeds)];
  const { eventLogs } = await simulateAll(first, seeds, STEPS);
  // Alone and in another order: parallel worlds do not affect each other.
  const alone = new Map<number, readonly string[]>();
  for (const seed of seeds.toReversed())
    alone.set(seed, (await simulateAll(second, [seed], STEPS)).eventLogs.get(seed) ?? []);
  for (const seed of seeds) expect(alone.get(seed)).toEqual(eventLogs.get(seed));
});

test.each(patches)('the recorded mistake %s still fits the code', (patch) => {
  // When this fails: make the same mistake in the current code and record it as the new patch.
  expect(applyError(patch)).toBe('');
});
