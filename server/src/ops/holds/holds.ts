import { recordAct } from '../../acts/sql.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Queryable } from '../../db/types.ts';
import * as holds from '../../replication/control/hold.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf, authorOrMachine } from '../acts/author.ts';
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
function beginHold(db: Db, { from, until, reason }: HoldBody, by: string): Promise<HoldItem | undefined> {
  return withTransaction(db, async (tx) => {
    const begun = await holds.beginHold(tx, { from: instant(from), until: instant(until), reason, by });
    if (!begun) return undefined;
    const after = itemOf(begun);
    const subject = { kind: 'hold', id: begun.id } as const;
    await recordAct(tx, { by, act: 'beginHold', subject, reason, before: null, after: spanOf(after) });
    return after;
  });
}

/** @returns undefined where there is no such hold, or where it is the host's own */
function endHold(db: Db, id: string, by: string, reason: string): Promise<HoldItem | undefined> {
  return withTransaction(db, async (tx) => {
    const before = (await holds.listHolds(tx)).find((hold) => hold.id === id);
    const ended = await holds.endHold(tx, id);
    if (!ended) return undefined;
    const after = itemOf(ended);
    const subject = { kind: 'hold', id } as const;
    const former = before ? spanOf(itemOf(before)) : null;
    await recordAct(tx, { by, act: 'endHold', subject, reason, before: former, after: spanOf(after) });
    return after;
  });
}

const spanOf = ({ from, until, in_force }: HoldItem): object => ({ from, until, in_force });

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

    beginHold: opsEndpoint(holdOperations.beginHold, async ({ body, caller }) => {
      const begun = await beginHold(db, body, authorOf(caller, body.by));
      if (!begun) throw invalidInput([{ path: 'until', message: 'must lie ahead' }]);
      return { data: begun };
    }),

    endHold: opsEndpoint(holdOperations.endHold, async ({ params, body, caller }) => {
      const ended = await endHold(db, params.hold_id, authorOrMachine(caller, body?.by), body?.reason ?? '');
      if (!ended) throw new AppError('HOLD_NOT_FOUND');
      return { data: ended };
    }),
  };
}
