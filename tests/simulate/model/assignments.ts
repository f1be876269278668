import { isDeepStrictEqual } from 'node:util';
import type { DriverEvidence, Evidence } from './evidence.ts';
import { hasSecondRoute, isOfSecondRoute, routeOf, secondRouteOf } from './fixture.ts';

/** Whether a driver's phone may show a stop: the server has a session, and the office has assigned the route. */
export const isFollowing = (
  { office }: Pick<Evidence, 'office'>,
  { hasPhone, isSignedIn, employee }: DriverEvidence,
  stop: number,
): boolean => hasPhone && isSignedIn && (!isOfSecondRoute(stop) || office.secondDrivers.includes(employee));

/**
 * Lists of drivers, one of which shares the pending route of a driver. The second route comes before the first one as soon as
 * it alone is in progress, so at any moment after its first change. The server may still have an earlier assignment of it.
 */
export function possibleMates(
  employee: string,
  drivers: readonly Pick<DriverEvidence, 'employee' | 'history'>[],
  secondDriverLists: readonly (readonly string[])[],
): (readonly string[])[] {
  const all = drivers.map((driver) => driver.employee);
  const isSecondBegun = drivers.some(({ history }) => history.taps.some(({ stop }) => isOfSecondRoute(stop)));
  return [all, ...(isSecondBegun ? secondDriverLists.filter((list) => list.includes(employee)) : [])];
}

/** Each phone lists the routes that the office assigned last. It shows another one only where it recorded changes there. */
export function wrongAssignments({ drivers, office, seed, copies }: Evidence): string[] {
  if (!hasSecondRoute(seed)) return [];
  const [first, second] = [routeOf(seed), secondRouteOf(seed)];
  return drivers.flatMap(({ employee, hasPhone, isSignedIn, history, phone: { app } }) => {
    if (!hasPhone || !isSignedIn || !app) return [];
    const isAssigned = office.secondDrivers.includes(employee);
    const expected = isAssigned ? [first.id, second.id] : [first.id];
    const listed = app.routes.current.map(({ id }) => id).toSorted();
    const wrong = isDeepStrictEqual(listed, expected)
      ? []
      : [`${employee} has the routes ${listed.join(' ')}, not ${expected.join(' ')}`];
    // A phone that may not read the route learns nothing more of its changes there, and continues to show them.
    const isKept = history.taps.some(({ stop }) => isOfSecondRoute(stop)) || copies.has(employee);
    const isShown = Boolean(app.route(second).current);
    if (isShown === isAssigned || (isShown && isKept)) return wrong;
    return [...wrong, `the phone of ${employee} ${isAssigned ? 'does not show' : 'shows'} the second route`];
  });
}
