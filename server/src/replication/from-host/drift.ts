import type { RouteKey } from '@tailgate/sync-protocol';
import type { HostFileName } from '../../host/files/tables.ts';

/** Differences between mirror and host that no doorbell line reported. */
export interface Drift {
  /** The number of compared routes. */
  readonly routes: number;
  /** Master files with a difference. */
  readonly masters: readonly HostFileName[];
  /** Routes with a difference in host-owned columns. */
  readonly plans: readonly RouteKey[];
  /** Routes with a difference in service-owned columns: an office edit. */
  readonly results: readonly RouteKey[];
}

/** The result of comparing one route with the host. */
export interface RouteComparison {
  readonly key: RouteKey;
  readonly plan: boolean;
  readonly results: boolean;
  /** False where the route must be compared again: it has unwritten changes, or another process has its lease. */
  readonly isConclusive: boolean;
}

export const noDrift: Drift = { routes: 0, masters: [], plans: [], results: [] };

export const driftOf = (compared: readonly RouteComparison[], masters: Drift['masters'] = []): Drift => ({
  routes: compared.length,
  masters,
  plans: compared.filter(({ plan }) => plan).map(({ key }) => key),
  results: compared.filter(({ results }) => results).map(({ key }) => key),
});

export const addDrift = (one: Drift, other: Drift): Drift => ({
  routes: one.routes + other.routes,
  masters: [...one.masters, ...other.masters],
  plans: [...one.plans, ...other.plans],
  results: [...one.results, ...other.results],
});
