import { operations } from '@tailgate/sync-protocol';
import type { Db } from '../db/types.ts';
import { routePayload } from '../routes/payload.ts';
import type { PendingRoute } from '../routes/queries.ts';
import { listDriversOnRoutes, loadPendingRoute } from '../routes/queries.ts';
import type { DriverCall } from './endpoint.ts';
import { driverEndpoint, endpoint } from './endpoint.ts';
import { AppError } from './errors.ts';
import { toV20Route } from './v20.ts';

/** Interface.md 4.4. */
export function routeEndpoints(db: Db) {
  const pendingRoute = async ({ driver }: DriverCall<undefined, undefined>): Promise<PendingRoute> => {
    const route = await loadPendingRoute(db, driver.employee);
    if (!route) throw new AppError('NO_PENDING_ROUTE');
    return route;
  };
  return {
    readRoute: driverEndpoint(operations.readRoute, async (call) => ({ data: routePayload(await pendingRoute(call)) })),
    readRouteV20: driverEndpoint(operations.readRouteV20, async (call) => ({
      data: toV20Route(await pendingRoute(call)),
    })),
    listRouteDrivers: endpoint(operations.listRouteDrivers, async () => ({ data: await listDriversOnRoutes(db) })),
  };
}
