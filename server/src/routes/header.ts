import type { RouteHeader, RouteKey } from '@tailgate/sync-protocol';
import type { ClosingState } from './closing.ts';

export interface RouteDriver {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** No longer on the route. */
  readonly removed: boolean;
}

export interface RouteFacts extends ClosingState {
  readonly key: RouteKey;
  readonly name: string;
  readonly withdrawn: boolean;
  /** The customer wants proof-of-delivery e-mails (marker Y). */
  readonly emailFlag: boolean;
  readonly drivers: readonly RouteDriver[];
}

/** The feed's document `route`: the parts of a route outside the plans and results of its stops. */
export function routeHeader(route: RouteFacts): RouteHeader {
  return {
    ...route.key,
    name: route.name,
    status: route.status,
    arrived: route.arrived,
    closed_at: iso(route.closedAt),
    closed_by: route.closedBy,
    withdrawn: route.withdrawn,
    autoclose_at: iso(route.autocloseAt),
    forceclose_at: iso(route.forcecloseAt),
    drivers: route.drivers.filter((driver) => !driver.removed).map(({ id, name, type }) => ({ id, name, type })),
  };
}

const iso = (instant: Date | null): string | null => instant?.toISOString() ?? null;
