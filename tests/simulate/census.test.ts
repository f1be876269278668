import { expect, test } from 'vitest';
import { censusOf } from './census.ts';

test('the census counts the events of a kind and the worlds that have some', () => {
  const census = censusOf([
    ['1795276800105 driver 1: is signed out', '1795276800106 driver 2: is signed out', '1795276800107 timer'],
    ['1795276800105 driver 3: had a newer app'],
    [],
  ]);
  expect(census.filter(({ events }) => events > 0)).toEqual([
    { name: 'a change of a newer app', events: 1, worlds: 1 },
    { name: 'a sign-out', events: 2, worlds: 1 },
  ]);
});
