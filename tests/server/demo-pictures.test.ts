import { expect, test } from 'vitest';
import { photo, signature } from '../../server/src/demo/day/pictures.ts';

/** Of stop 3 on three days and of another stop: the player's seeds. */
const seeds = [91_003, 101_003, 111_003, 101_002];
const distinct = (pictures: readonly Buffer[]): number => new Set(pictures.map((each) => each.toString('base64'))).size;

test('one person signs differently at each stop, and no two photos are the same file', () => {
  expect(distinct(seeds.map((seed) => signature('Carl Wu', seed)))).toBe(seeds.length);
  expect(distinct(seeds.map((seed) => photo(2, seed)))).toBe(seeds.length);
});
