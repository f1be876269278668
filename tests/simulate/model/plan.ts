import { isDeepStrictEqual } from 'node:util';
import type { Evidence } from './evidence.ts';
import { nameOf, QUANTITY, routeOf, STOPS } from './fixture.ts';

/** The part of a route that only the host changes, as far as this world's dispatch changes it. */
export interface Plan {
  readonly name: string;
  /** The quantity to deliver of the first line of each stop, in stop order. */
  readonly quantities: readonly number[];
}

export const initialPlan = (seed: number): Plan => ({
  name: nameOf(seed),
  quantities: Array.from({ length: STOPS }, () => QUANTITY),
});

/** Every phone that follows the route must show the plan that was dispatched last. */
export function wrongPlans({ seed, office: { plan }, drivers }: Evidence): string[] {
  return drivers.flatMap(({ phone, hasPhone, isSignedIn }) => {
    const route = hasPhone && isSignedIn ? phone.app?.route(routeOf(seed)).current : undefined;
    if (!route) return [];
    const ofStops = route.stops.filter(({ id }) => id <= STOPS);
    const shown = { name: route.name, quantities: ofStops.map(({ products }) => products[0]?.quantity) };
    if (isDeepStrictEqual(shown, plan)) return [];
    return [`the plan reads ${JSON.stringify(shown)} on the phone of ${phone.employee}, not ${JSON.stringify(plan)}`];
  });
}
