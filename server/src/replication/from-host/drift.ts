import type { RouteKey } from '@tailgate/sync-protocol';
import type { HostFileName } from '../../host/files/tables.ts';
import type { HostError } from '../../host/host.ts';

/** Differences between mirror and host that no doorbell line reported. */
export interface Drift {
  /** False: nothing is compared, because another node is importing, or routes are still being loaded. */
  readonly isBegun: boolean;
  /** The number of compared routes. */
  readonly routes: number;
  /** Master files with a difference. */
  readonly masters: readonly HostFileName[];
  /** Routes with a difference in host-owned columns. */
  readonly plans: readonly RouteKey[];
  /** Routes with a difference in service-owned columns: an office edit. */
  readonly results: readonly RouteKey[];
  /** Routes that must be compared again: they have unwritten changes, or another process has their lease or the import. */
  readonly unjudged: readonly RouteKey[];
  /** Those of them that need a file of the host which cannot be read. */
  readonly unreadable: readonly UnreadableRoute[];
}

export interface UnreadableRoute {
  readonly key: RouteKey;
  readonly error: HostError;
}

/** The result of comparing one route with the host. */
export interface RouteComparison {
  readonly key: RouteKey;
  readonly plan: boolean;
  readonly results: boolean;
  /** False where the route must be compared again. */
  readonly isConclusive: boolean;
  /** The file that it needs, where that cannot be read. */
  readonly unreadable?: HostError | undefined;
}

export const noDrift: Drift = {
  isBegun: true,
  routes: 0,
  masters: [],
  plans: [],
  results: [],
  unjudged: [],
  unreadable: [],
};
export const notBegun: Drift = { ...noDrift, isBegun: false };

export const driftOf = (compared: readonly RouteComparison[]): Drift => ({
  isBegun: true,
  routes: compared.length,
  masters: [],
  plans: compared.filter(({ plan }) => plan).map(({ key }) => key),
  results: compared.filter(({ results }) => results).map(({ key }) => key),
  unjudged: compared.filter(({ isConclusive }) => !isConclusive).map(({ key }) => key),
  unreadable: compared.flatMap(({ key, unreadable }) => (unreadable ? [{ key, error: unreadable }] : [])),
});

export const addDrift = (one: Drift, other: Drift): Drift => ({
  isBegun: one.isBegun,
  routes: one.routes + other.routes,
  masters: [...one.masters, ...other.masters],
  plans: [...one.plans, ...other.plans],
  results: [...one.results, ...other.results],
  unjudged: [...one.unjudged, ...other.unjudged],
  unreadable: [...one.unreadable, ...other.unreadable],
});
