import { operations, routeScope } from '@tailgate/sync-protocol';
import type { Db } from '../db/types.ts';
import { routeMeta, routePayload } from '../routes/payload.ts';
import type { PendingRoute, RouteStops } from '../routes/queries.ts';
import { listDriversOnRoutes, loadPendingRoute, loadStops } from '../routes/queries.ts';
import { driverEndpoint, endpoint } from './endpoint.ts';
import { AppError } from './errors.ts';
import { Rendered, RenderedAnswers } from './rendered.ts';
import { toV20Route } from './v20.ts';

/** A long route is a million bytes, an ordinary one thirty thousand. */
const mostBytes = 32 * 1024 * 1024;

/** Interface.md 4.4. */
export function routeEndpoints(db: Db) {
  const current = pendingRoute(db, operations.readRoute.message, routePayload);
  const v20 = pendingRoute(db, operations.readRouteV20.message, toV20Route);
  return {
    readRoute: driverEndpoint(operations.readRoute, ({ driver }) => current(driver.employee)),
    readRouteV20: driverEndpoint(operations.readRouteV20, ({ driver }) => v20(driver.employee)),
    listRouteDrivers: endpoint(operations.listRouteDrivers, async () => ({ data: await listDriversOnRoutes(db) })),
  };
}

/**
 * Answers with a driver's pending route. The stops are read and put together once a version of the route: phones ask
 * for it at every start and after every change, and the drivers of a route ask for the same.
 */
function pendingRoute<Payload>(
  db: Db,
  message: string,
  payload: (route: PendingRoute, stops: RouteStops['stops']) => Payload,
) {
  const answers = new RenderedAnswers<Payload>(mostBytes);
  const making = new Map<string, Promise<Rendered<Payload>>>();

  async function make(route: PendingRoute, name: string, stamp: string): Promise<Rendered<Payload>> {
    const { stops, epoch, version } = await loadStops(db, route.key);
    const rendered = new Rendered<Payload>(message, payload(route, stops), routeMeta(route));
    // A change came in between: it is shown, but it is not what the stamp says.
    if (epoch === route.epoch && version === route.version) answers.set(name, stamp, rendered);
    return rendered;
  }

  return async (employee: string) => {
    const route = await loadPendingRoute(db, employee);
    if (!route) throw new AppError('NO_PENDING_ROUTE');
    // All that the answer shows beside the stops is in the stamp; the stops are what the version stands for.
    const [name, stamp] = [routeScope(route.key), JSON.stringify(route)];
    const known = answers.get(name, stamp);
    if (known) return { data: known };
    // After a change everybody asks at once: one of them has it made, of stops that are no older than the version.
    const made = making.get(stamp) ?? make(route, name, stamp).finally(() => making.delete(stamp));
    making.set(stamp, made);
    return { data: await made };
  };
}
