import type { RouteKey } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import type { Client } from './client.ts';
import type { Watch } from './platform/watch.ts';
import { follow, select } from './platform/watch.ts';

/**
 * `here`: it can be shown. `loading`: it is, or may be, the driver's, and was not received yet. `none`: the server has
 * assigned the driver other routes, or none. `signed_out`: no driver is signed in.
 */
export type RouteState = 'here' | 'loading' | 'none' | 'signed_out';

/** The availability of a route; without a key the driver's pending one. */
export const routeState = (client: Client, key?: RouteKey): Watch<RouteState> =>
  follow(client.driver, (driver) =>
    follow(client.routes, (routes) =>
      select(client.route(key), (route): RouteState => {
        if (route) return 'here';
        if (!driver) return 'signed_out';
        const isTheirs = key ? routes.some(({ scope }) => scope === routeScope(key)) : routes.length > 0;
        return isTheirs || !driver.routesKnown ? 'loading' : 'none';
      }),
    ),
  );
