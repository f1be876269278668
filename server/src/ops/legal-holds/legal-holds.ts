import { randomUUID } from 'node:crypto';
import type { RouteKey } from '@tailgate/sync-protocol';
import { recordAct, type Act } from '../../acts/sql.ts';
import type { Db, Queryable, Tx } from '../../db/types.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf } from '../acts/author.ts';
import { inTurn, keepApart, latestAct, refuseSecond, type Actor } from '../acts/in-turn.ts';
import { legalHoldOperations, type LegalHold, type LegalHoldBody, type LegalHoldQuery } from './contract.ts';
import * as sql from './legal-holds-sql.ts';

interface HoldRow extends Omit<LegalHold, 'placed_at' | 'until' | 'released_at'>, Record<string, unknown> {
  readonly placed_at: Date;
  readonly until: Date | null;
  readonly released_at: Date | null;
}

const itemOf = (row: HoldRow): LegalHold => ({
  ...row,
  placed_at: row.placed_at.toISOString(),
  until: row.until?.toISOString() ?? null,
  released_at: row.released_at?.toISOString() ?? null,
});

/** Holds change one after the other, and never in the middle of a deletion. */
const everyHold = { kind: 'legal-hold', id: 'all' } as const;

/** Keeps new holds away until the end of a transaction that deletes: each hold then finds all that it is to keep. */
export const deleteApart = (tx: Tx): Promise<void> => keepApart(tx, everyHold);

/** Every hold that covers or has covered a stop, the oldest first. */
export async function holdsOfStop(
  db: Queryable,
  { facility, id, week_end }: RouteKey,
  stop: number,
): Promise<LegalHold[]> {
  const { rows } = await db.query<HoldRow>(sql.listHoldsOfStop, [facility, id, week_end, stop]);
  return rows.map(itemOf);
}

async function listHolds(db: Queryable, query: LegalHoldQuery, now: Date): Promise<LegalHold[]> {
  const { facility, route_id, week_end, stop_id } = query;
  const values = [now, facility ?? null, route_id ?? null, week_end ?? null, stop_id ?? null];
  return (await db.query<HoldRow>(sql.listHolds, values)).rows.map(itemOf);
}

/** @throws AppError ROUTE_NOT_FOUND or STOP_NOT_FOUND: a hold on nothing would keep nothing */
async function checkScope(
  tx: Tx,
  { facility, route_id, week_end, stop_id, customer }: LegalHoldBody['scope'],
): Promise<void> {
  if (customer != null) {
    const { rows } = await tx.query(sql.findCustomer, [facility, customer]);
    if (rows.length === 0)
      throw new AppError('STOP_NOT_FOUND', { message: 'The customer has no stop in this facility.' });
    return;
  }
  const values = [facility, route_id, week_end, stop_id ?? null];
  const { rows } = await tx.query<{ has_route: boolean; has_stop: boolean }>(sql.findPlace, values);
  if (!rows[0]?.has_route) throw new AppError('ROUTE_NOT_FOUND');
  if (!rows[0].has_stop) throw new AppError('STOP_NOT_FOUND');
}

const placeOf = ({ facility, route_id: route, week_end: weekEnd, stop_id: stop }: LegalHold): Act['place'] =>
  route === null || weekEnd === null ? undefined : { facility, route, weekEnd, stop };

interface Author extends Actor {
  readonly by: string;
  readonly now: Date;
}

/** Stores a hold and its act. */
function placeHold(db: Db, { scope, reason, until }: LegalHoldBody, { by, now }: Author): Promise<LegalHold> {
  const end = until ? new Date(until) : null;
  if (end && end <= now) throw invalidInput([{ path: 'until', message: 'must lie ahead' }]);
  return inTurn(db, everyHold, async (tx) => {
    await checkScope(tx, scope);
    const { facility, route_id, week_end, stop_id, customer } = scope;
    const values = [facility, randomUUID(), route_id, week_end, stop_id, customer, reason, now, by, end];
    const { rows } = await tx.query<HoldRow>(
      sql.insertHold,
      values.map((value) => value ?? null),
    );
    const [row] = rows;
    if (!row) throw new Error('the inserted hold came back as no row');
    const hold = itemOf(row);
    const { legal_hold_id: id, placed_at: _at, placed_by: _by, reason: _why, ...after } = hold;
    const subject = { kind: 'legal-hold', id } as const;
    await recordAct(tx, { by, act: 'placeLegalHold', subject, place: placeOf(hold), reason, before: null, after });
    return hold;
  });
}

/**
 * @returns undefined where there is no such hold
 * @throws AppError where another operator has released it before
 */
function releaseHold(db: Db, id: string, reason: string, author: Author): Promise<LegalHold | undefined> {
  const { by, now } = author;
  const subject = { kind: 'legal-hold', id } as const;
  return inTurn(db, everyHold, async (tx) => {
    const { rows } = await tx.query<HoldRow>(sql.releaseHold, [id, now, by]);
    const [row] = rows;
    if (!row) {
      refuseSecond(author, await latestAct(tx, subject, ['releaseLegalHold']));
      return undefined;
    }
    const hold = itemOf(row);
    const { until, released_at } = hold;
    const act = { by, act: 'releaseLegalHold', subject, place: placeOf(hold), reason };
    await recordAct(tx, { ...act, before: { until }, after: { released_at } });
    return hold;
  });
}

/** Operators: records that retention leaves alone. */
export function legalHoldEndpoints({ db, clock }: { readonly db: Db; readonly clock: () => Date }) {
  return {
    listLegalHolds: endpoint(legalHoldOperations.listLegalHolds, async ({ query }) => ({
      data: await listHolds(db, query, clock()),
    })),

    placeLegalHold: opsEndpoint(legalHoldOperations.placeLegalHold, async ({ body, caller }) => ({
      data: await placeHold(db, body, { caller, by: authorOf(caller, body.by), now: clock() }),
    })),

    releaseLegalHold: opsEndpoint(legalHoldOperations.releaseLegalHold, async ({ params, body, caller }) => {
      const author = { caller, seen: body.seen, by: authorOf(caller, body.by), now: clock() };
      const released = await releaseHold(db, params.legal_hold_id, body.reason, author);
      if (!released) throw new AppError('HOLD_NOT_FOUND');
      return { data: released };
    }),
  };
}
