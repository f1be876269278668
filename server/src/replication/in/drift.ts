import type { RouteKey } from '@tailgate/sync-protocol';
import type { HostFileName } from '../../host/files/tables.ts';

/** Where mirror and host had parted without a word of the doorbell. */
export interface Drift {
  /** How many were compared. */
  readonly routes: number;
  /** Master files in which something was another. */
  readonly masters: readonly HostFileName[];
  /** What the host owns was another. */
  readonly plans: readonly RouteKey[];
  /** Somebody had changed what the service owns: the office's edit. */
  readonly results: readonly RouteKey[];
}

/** What comparing one route with the host has shown. */
export interface Compared {
  readonly key: RouteKey;
  readonly plan: boolean;
  readonly results: boolean;
  /** False where it has to be looked at again: what waits for the host, or somebody has in hand, was left alone. */
  readonly isJudged: boolean;
}

export const nothingDrifted: Drift = { routes: 0, masters: [], plans: [], results: [] };

export const driftOf = (compared: readonly Compared[], masters: Drift['masters'] = []): Drift => ({
  routes: compared.length,
  masters,
  plans: compared.filter(({ plan }) => plan).map(({ key }) => key),
  results: compared.filter(({ results }) => results).map(({ key }) => key),
});

export const together = (one: Drift, other: Drift): Drift => ({
  routes: one.routes + other.routes,
  masters: [...one.masters, ...other.masters],
  plans: [...one.plans, ...other.plans],
  results: [...one.results, ...other.results],
});
