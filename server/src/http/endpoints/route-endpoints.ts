import { operations, routeScope } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import { stopPayload } from '../../routes/payload.ts';
import type { PendingRoute } from '../../routes/queries.ts';
import { listDriversOnRoutes, loadPendingRoute, loadStops } from '../../routes/queries.ts';
import { driverEndpoint, endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { RenderedAnswers } from '../answers/rendered.ts';
import type { RouteFormat } from './route-answer.ts';
import { RouteAnswer } from './route-answer.ts';
import { toV20Stop } from './v20.ts';

/** A long route has a million bytes, an ordinary one thirty thousand. */
const maxBytes = 32 * 1024 * 1024;

/** Interface.md 4.4. */
export function routeEndpoints(db: Db) {
  const current = pendingRoute(db, { message: operations.readRoute.message, stop: stopPayload });
  const v20 = pendingRoute(db, { message: operations.readRouteV20.message, stop: toV20Stop });
  return {
    readRoute: driverEndpoint(operations.readRoute, ({ driver }) => current(driver.employee)),
    readRouteV20: driverEndpoint(operations.readRouteV20, ({ driver }) => v20(driver.employee)),
    listRouteDrivers: endpoint(operations.listRouteDrivers, async () => ({ data: await listDriversOnRoutes(db) })),
  };
}

/**
 * Answers with a driver's pending route. Each version of a stop is read and rendered once: phones request their route
 * at every start and after every change, and all drivers of a route get the same answer.
 */
function pendingRoute<Stop>(db: Db, format: RouteFormat<Stop>) {
  const answers = new RenderedAnswers<RouteAnswer<Stop>>(maxBytes);
  const rendering = new Map<string, Promise<RouteAnswer<Stop>>>();

  async function assemble(route: PendingRoute, before: RouteAnswer<Stop> | undefined): Promise<RouteAnswer<Stop>> {
    if (before?.epoch === route.epoch) {
      const changed = await loadStops(db, route.key, before.version);
      if (changed.epoch === before.epoch) return RouteAnswer.of(format, route, changed, before);
    }
    return RouteAnswer.of(format, route, await loadStops(db, route.key));
  }

  async function renderRoute(route: PendingRoute, name: string, stamp: string): Promise<RouteAnswer<Stop>> {
    const answer = await assemble(route, answers.latest(name));
    // A change was committed meanwhile: the answer contains it, but the stamp does not cover it.
    if (answer.epoch === route.epoch && answer.version === route.version) answers.set(name, stamp, answer);
    return answer;
  }

  return async (employee: string) => {
    const route = await loadPendingRoute(db, employee);
    if (!route) throw new AppError('NO_PENDING_ROUTE');
    // The stamp contains every fact of the answer beside the stops; the version covers the stops.
    const [name, stamp] = [routeScope(route.key), JSON.stringify(route)];
    const known = answers.get(name, stamp);
    if (known) return { data: known };
    // After a change all phones request the route at once. One request renders the answer, from stops that are at least as new as the
    // version.
    const rendered = rendering.get(stamp) ?? renderRoute(route, name, stamp).finally(() => rendering.delete(stamp));
    rendering.set(stamp, rendered);
    return { data: await rendered };
  };
}
