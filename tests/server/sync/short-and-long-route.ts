import { insertRoutes, plan } from '../../support/mirror.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';

/** A route of two stops. */
export const key = { facility: 'F01', id: 'R1', week_end: '20261121' };

export interface TwoRoutes {
  readonly node: SyncNode;
  /** The driver of both routes. */
  readonly driver: Signed;
  /** A driver of neither route. */
  readonly otherDriver: Signed;
}

/** A node with that route and a longer one of the same driver. It ends with the file. */
export async function startWithTwoRoutes(long: { id: string; stops: number; products?: number }): Promise<TwoRoutes> {
  const node = await startSyncNode();
  const stops = Array.from({ length: long.stops }, (_, n) => plan(n + 1, long.products));
  const route = { facility: key.facility, weekEnd: key.week_end, drivers: ['1001'] };
  await insertRoutes(node.database.pool, [
    { ...route, id: key.id, stops: [plan(1), plan(2)] },
    { ...route, id: long.id, stops },
  ]);
  await insertEmployees(node.database.pool, ['1003']);
  return { node, driver: await signUp(node.client, '1001'), otherDriver: await signUp(node.client, '1003') };
}
