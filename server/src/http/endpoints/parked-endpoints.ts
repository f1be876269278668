import { operations } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { Pipeline } from '../../mutations/change.ts';
import { decodePosition } from '../../ops/page-position.ts';
import { listParked, repairParked, retryParked, skipParked } from '../../ops/parked/parked.ts';
import { readCursor } from '../answers/cursor.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { invalidInput } from '../answers/validation.ts';

export interface ParkedDeps {
  readonly db: Db;
  readonly pipeline: Pick<Pipeline, 'submit'>;
  readonly clock: () => Date;
  readonly log: Log;
}

/** For operators: what the host refuses, and what is to become of it. */
export function parkedEndpoints({ db, pipeline, clock, log }: ParkedDeps) {
  const repairs = { db, submit: pipeline.submit.bind(pipeline), clock, log };
  return {
    listParked: endpoint(operations.listParked, async ({ query }) => {
      const { items, nextCursor } = await listParked(db, query, readCursor(query.cursor, decodePosition));
      return { data: items, meta: { next_cursor: nextCursor } };
    }),

    retryParked: endpoint(operations.retryParked, async ({ params }) => ({
      data: orUnknown(await retryParked(db, params.parked_id)),
    })),

    skipParked: endpoint(operations.skipParked, async ({ params, body }) => ({
      data: orUnknown(await skipParked(db, params.parked_id, body)),
    })),

    repairParked: endpoint(operations.repairParked, async ({ params, body }) => {
      const repair = orUnknown(await repairParked(repairs, params.parked_id, body));
      if (repair.result === 'repaired') {
        const { parked, changed, warnings } = repair;
        return { data: { parked, changed, warnings } };
      }
      if (repair.result === 'quarantined') throw new AppError(repair.code, { message: repair.reason });
      const message =
        repair.result === 'other_stop' ? `must be ${repair.stop}, the stop that is parked` : 'this entry is of no stop';
      throw invalidInput([{ path: 'stop.id', message }]);
    }),
  };
}

function orUnknown<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new AppError('PARKED_NOT_FOUND');
  return found;
}
