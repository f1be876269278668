import { recordAct } from '../../acts/sql.ts';
import type { Db, Queryable } from '../../db/types.ts';
import * as holds from '../../replication/control/hold.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf, authorOrMachine } from '../acts/author.ts';
import { inTurn, latestAct, refuseSecond, type Actor } from '../acts/in-turn.ts';
import type { HoldBody, HoldItem } from './contract.ts';
import { holdOperations } from './contract.ts';

/** Holds in force and to come, the earliest first. */
export async function listHolds(db: Queryable): Promise<HoldItem[]> {
  return (await holds.listHolds(db)).map(itemOf);
}

interface Author extends Actor {
  readonly by: string;
}

/** Operators begin and end holds one after the other. */
const calendar = { kind: 'hold', id: 'calendar' } as const;

/**
 * Workers check every few seconds. They finish a write in progress and begin no other.
 * @returns undefined where the hold would already be over
 * @throws AppError where a hold of another operator is in force that ends no earlier
 */
function beginHold(db: Db, { from, until, reason }: HoldBody, author: Author): Promise<HoldItem | undefined> {
  const { by } = author;
  return inTurn(db, calendar, async (tx) => {
    const [span, present] = [{ from: instant(from), until: instant(until) }, await holds.listHolds(tx)];
    refuseSecond(author, firstOf(present.find((hold) => covers(hold, span))));
    const begun = await holds.beginHold(tx, { ...span, reason, by });
    if (!begun) return undefined;
    const after = itemOf(begun);
    const subject = { kind: 'hold', id: begun.id } as const;
    await recordAct(tx, { by, act: 'beginHold', subject, reason, before: null, after: spanOf(after) });
    return after;
  });
}

/** Whether a hold of an operator is in force from now on, until the end of the span or later. */
function covers(hold: holds.Hold, { from, until }: Pick<holds.NewHold, 'from' | 'until'>): boolean {
  if (hold.source !== 'operator' || !hold.inForce || (from && from > new Date())) return false;
  return hold.until === undefined || (until !== undefined && until <= hold.until);
}

const firstOf = (hold: holds.Hold | undefined) => hold && { by: hold.by, at: hold.from, act: 'beginHold' };

/**
 * @returns undefined where there is no such hold, or where it is the host's own
 * @throws AppError where another operator has ended it before
 */
function endHold(db: Db, id: string, author: Author, reason: string): Promise<HoldItem | undefined> {
  const { by } = author;
  const subject = { kind: 'hold', id } as const;
  return inTurn(db, calendar, async (tx) => {
    const before = (await holds.listHolds(tx)).find((hold) => hold.id === id);
    const ended = await holds.endHold(tx, id);
    if (!ended) {
      refuseSecond(author, await latestAct(tx, subject, ['endHold']));
      return undefined;
    }
    const after = itemOf(ended);
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
      const begun = await beginHold(db, body, { caller, seen: body.seen, by: authorOf(caller, body.by) });
      if (!begun) throw invalidInput([{ path: 'until', message: 'must lie ahead' }]);
      return { data: begun };
    }),

    endHold: opsEndpoint(holdOperations.endHold, async ({ params, body, caller }) => {
      const author = { caller, by: authorOrMachine(caller, body?.by) };
      const ended = await endHold(db, params.hold_id, author, body?.reason ?? '');
      if (!ended) throw new AppError('HOLD_NOT_FOUND');
      return { data: ended };
    }),
  };
}
