import { operations } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import { beginHold, endHold, listHolds } from '../../ops/holds/holds.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { invalidInput } from '../answers/validation.ts';

/** For operators: when nothing is written to the host. */
export function holdEndpoints(db: Db) {
  return {
    listHolds: endpoint(operations.listHolds, async () => ({ data: await listHolds(db) })),

    beginHold: endpoint(operations.beginHold, async ({ body }) => {
      const begun = await beginHold(db, body);
      if (!begun) throw invalidInput([{ path: 'until', message: 'must lie ahead' }]);
      return { data: begun };
    }),

    endHold: endpoint(operations.endHold, async ({ params }) => {
      const ended = await endHold(db, params.hold_id);
      if (!ended) throw new AppError('HOLD_NOT_FOUND');
      return { data: ended };
    }),
  };
}
