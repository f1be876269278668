import type { Db, Queryable } from '../../db/types.ts';
import * as holds from '../../replication/control/hold.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { AppError } from '../../wire/errors.ts';
import type { HoldBody, HoldItem } from './contract.ts';
import { holdOperations } from './contract.ts';

/** Holds in force and to come, the earliest first. */
export async function listHolds(db: Queryable): Promise<HoldItem[]> {
  return (await holds.listHolds(db)).map(itemOf);
}

/**
 * Workers check every few seconds. They finish a write in progress and begin no other.
 * @returns undefined where the hold would already be over
 */
async function beginHold(db: Queryable, { from, until, reason, by }: HoldBody): Promise<HoldItem | undefined> {
  const begun = await holds.beginHold(db, { from: instant(from), until: instant(until), reason, by });
  return begun && itemOf(begun);
}

/** @returns undefined where there is no such hold, or where it is the host's own */
async function endHold(db: Queryable, id: string): Promise<HoldItem | undefined> {
  const ended = await holds.endHold(db, id);
  return ended && itemOf(ended);
}

const instant = (text: string | null | undefined): Date | undefined => (text ? new Date(text) : undefined);

const itemOf = ({ id, source, from, until, reason, by, inForce }: holds.Hold): HoldItem => ({
  hold_id: id,
  source,
  from: from.toISOString(),
  until: until?.toISOString() ?? null,
  reason,
  by,
  in_force: inForce,
});

/** Operators: times without writes to the host. */
export function holdEndpoints(db: Db) {
  return {
    listHolds: endpoint(holdOperations.listHolds, async () => ({ data: await listHolds(db) })),

    beginHold: endpoint(holdOperations.beginHold, async ({ body }) => {
      const begun = await beginHold(db, body);
      if (!begun) throw invalidInput([{ path: 'until', message: 'must lie ahead' }]);
      return { data: begun };
    }),

    endHold: endpoint(holdOperations.endHold, async ({ params }) => {
      const ended = await endHold(db, params.hold_id);
      if (!ended) throw new AppError('HOLD_NOT_FOUND');
      return { data: ended };
    }),
  };
}
