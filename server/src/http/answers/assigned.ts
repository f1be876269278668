import type { RouteKey } from '@tailgate/sync-protocol';
import type { Driver } from '../../auth/sessions.ts';
import type { Queryable } from '../../db/types.ts';
import { isAssigned } from '../../routes/queries.ts';
import { AppError } from '../../wire/errors.ts';

/** @throws AppError NOT_ASSIGNED, also for a route that does not exist: a driver learns nothing of other routes */
export async function requireAssigned(db: Queryable, route: RouteKey, { employee }: Driver): Promise<void> {
  if (!(await isAssigned(db, route, employee))) throw new AppError('NOT_ASSIGNED');
}
