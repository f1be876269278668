import { routeHeader, stopPlan, stopView } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { sampleDocuments, sampleKey, sampleScope } from '@tailgate/client-sdk/testing';
import { routeDelta, withDelta } from '../../client-sdk/src/tabs/route-delta.ts';

const [header, ...documents] = sampleDocuments([1, 2, 3, 4, 5], ['1001']);
const plans = documents.flatMap(({ key, value }) => (key.startsWith('plan/') ? stopPlan.parse(value) : []));

const routeOf = (stops: readonly LocalStop[]): LocalRoute => ({
  ...routeHeader.parse(header?.value),
  key: sampleKey,
  scope: sampleScope,
  stops,
  draft: undefined,
});

/** Stops by number, each in one of a few states. The same state is the same object. */
const states = plans.map((plan) =>
  [0, 1, 2].map((pending): LocalStop => ({
    ...stopView(plan, { status: 'P' }),
    ...{ products: [], collections: [] },
    ...{ pending, amended: [], conflicts: [], warnings: [], receipts: [], parked: false, draft: undefined, unseen: [] },
  })),
);
const routes = fc
  .array(fc.tuple(fc.nat(4), fc.nat(2)), { maxLength: 5 })
  .map((picked) => [...new Map(picked)].map(([stop, state]) => states[stop]![state]!))
  .map(routeOf);
/** A copy, as another page receives it. */
const transfer = <Value>(value: Value): Value => structuredClone(value);

test('after any changes of a route, another page has the same route and copies only the changed parts', () => {
  fc.assert(
    fc.property(fc.array(routes, { minLength: 1, maxLength: 5 }), (versions) => {
      let [base, seen]: (LocalRoute | undefined)[] = [];
      for (const route of versions) {
        const news = routeDelta(base, route);
        const copied = news.stops.filter((stop) => typeof stop !== 'number');
        expect(copied).toEqual(route.stops.filter((stop) => !base?.stops.includes(stop)));
        const before: LocalRoute | undefined = seen;
        seen = withDelta(before, transfer(news));
        expect(seen).toEqual(route);
        const equal = route.stops.filter((stop) => base?.stops.includes(stop)).map(({ id }) => id);
        for (const id of equal) expect(stopOf(seen, id)).toBe(stopOf(before, id));
        base = route;
      }
    }),
  );
});

const stopOf = (route: LocalRoute | undefined, id: number) => route?.stops.find((stop) => stop.id === id);

test('a page without the base of a change ignores it', () => {
  const [first, second] = [states[0]![0]!, states[1]![0]!];
  const news = routeDelta(routeOf([first, second]), routeOf([first, states[1]![1]!]));
  expect(withDelta(undefined, news)).toBeUndefined();
  expect(withDelta(routeOf([second]), news)).toBeUndefined();
});
