import { expect, test } from 'vitest';
import { atFileEnd } from '../support/file-end.ts';
import { createDatabase } from '../support/postgres.ts';
import { openDepot, type Depot } from './depot.ts';
import { misfit, patches } from './patches.ts';
import { simulateAll } from './simulation.ts';

/** A look in passing; CI plays 200 of them by `npm run simulate`, which goes through any number. */
const SEEDS = Array.from({ length: 12 }, (_, n) => n + 1);
const STEPS = 80;

async function open(seeds: readonly number[]): Promise<Depot> {
  const depot = await openDepot((await createDatabase()).url);
  atFileEnd(() => depot.close());
  await depot.dispatch(seeds);
  return depot;
}

test('worlds in which everything breaks keep every promise', async () => {
  const { broken } = await simulateAll(await open(SEEDS), SEEDS, STEPS);
  expect(broken).toEqual([]);
}, 300_000);

test('the same seed is the same story', async () => {
  const seeds = [7, 8, 9];
  const [first, second] = [await open(seeds), await open(seeds)];
  const { stories } = await simulateAll(first, seeds, STEPS);
  // Alone and in another order: what goes on beside a world changes nothing in it.
  const alone = new Map<number, readonly string[]>();
  for (const seed of seeds.toReversed())
    alone.set(seed, (await simulateAll(second, [seed], STEPS)).stories.get(seed) ?? []);
  for (const seed of seeds) expect(alone.get(seed)).toEqual(stories.get(seed));
});

test.each(patches)('the kept mistake %s still fits the code', (patch) => {
  // Where it does not: make the same mistake in the code as it is now, and keep that.
  expect(misfit(patch)).toBe('');
});
