import { isDeepStrictEqual } from 'node:util';
import type { Evidence } from './evidence.ts';
import { routeOf, WAREHOUSE } from './fixture.ts';

/** Every phone that follows the route must show the plan that was dispatched last. */
export function wrongPlans({ seed, office: { plan }, drivers }: Evidence): string[] {
  return drivers.flatMap(({ phone, hasPhone, isSignedIn }) => {
    const route = hasPhone && isSignedIn ? phone.app?.route(routeOf(seed)).current : undefined;
    if (!route) return [];
    const ofStops = route.stops.filter(({ id }) => id < WAREHOUSE);
    const shown = { name: route.name, quantities: ofStops.map(({ products }) => products[0]?.quantity) };
    if (isDeepStrictEqual(shown, plan)) return [];
    return [`the plan reads ${JSON.stringify(shown)} on the phone of ${phone.employee}, not ${JSON.stringify(plan)}`];
  });
}
