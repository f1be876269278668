import { recordAct } from '../../acts/sql.ts';
import type { Db } from '../../db/types.ts';
import { entryAfter, pageOf, type Page } from '../pages.ts';
import * as sql from './flags-sql.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf } from '../acts/author.ts';
import { inTurn } from '../acts/in-turn.ts';
import type { FlagQuery, FlagReview, FlaggedChange, ReviewBody } from './contract.ts';
import { flagOperations } from './contract.ts';
import { settledAt } from './settled.ts';

interface FlagRow extends Omit<FlaggedChange, 'warnings' | 'edit_time' | 'received_at'> {
  readonly edit_time: Date;
  readonly received_at: Date;
  readonly warnings: string;
  readonly position: string;
}

/** Lists saved changes with a warning that a person can read now, newest first. */
async function listFlags(
  { db, clock }: FlagDeps,
  { facility, route_id, code, limit, cursor }: FlagQuery,
): Promise<Page<FlaggedChange>> {
  const [through, idAtIt] = entryAfter(cursor) ?? [settledAt(clock()), null];
  const wanted = code === undefined ? null : `"code":${JSON.stringify(code)}`;
  const values = [facility ?? null, route_id ?? null, wanted, through, idAtIt, limit + 1];
  const { rows } = await db.query<FlagRow & Record<string, unknown>>(sql.listFlags, values);
  return pageOf(rows, limit, { item: changeOf, position: ({ position, id }) => [position, id] });
}

const changeOf = (row: FlagRow): FlaggedChange => ({
  id: row.id,
  facility: row.facility,
  route_id: row.route_id,
  week_end: row.week_end,
  stop_id: row.stop_id,
  version: row.version,
  source: row.source,
  employee: row.employee,
  employee_name: row.employee_name,
  edit_time: row.edit_time.toISOString(),
  received_at: row.received_at.toISOString(),
  warnings: readWarnings(row.warnings),
});

const readWarnings: (json: string) => FlaggedChange['warnings'] = JSON.parse;

interface ReviewRow extends Omit<FlagReview, 'reviewed_through' | 'at'> {
  readonly reviewed_through: Date;
  readonly at: Date;
}

/** A review of flags that a person has read before changes nothing, and returns that of the first. */
function reviewFlags(db: Db, { code, through, note }: ReviewBody, by: string): Promise<FlagReview | undefined> {
  const subject = { kind: 'flag', id: code } as const;
  return inTurn(db, subject, async (tx) => {
    const [before] = (await tx.query<ReviewRow & Record<string, unknown>>(sql.readReview, [code])).rows;
    const until = new Date(through);
    if (before && before.reviewed_through >= until) return reviewOf(before);
    const [saved] = (await tx.query<ReviewRow & Record<string, unknown>>(sql.saveReview, [code, until, by])).rows;
    if (!saved) return undefined;
    await recordAct(tx, {
      by,
      act: 'reviewFlags',
      subject,
      reason: note ?? '',
      before: before ? { reviewed_through: before.reviewed_through } : null,
      after: { reviewed_through: until },
    });
    return reviewOf(saved);
  });
}

const reviewOf = ({ code, reviewed_through, by, at }: ReviewRow): FlagReview => ({
  code,
  reviewed_through: reviewed_through.toISOString(),
  by,
  at: at.toISOString(),
});

export interface FlagDeps {
  readonly db: Db;
  readonly clock: () => Date;
}

/** Operators (contract §8): changes that a person should read. */
export function flagEndpoints(deps: FlagDeps) {
  return {
    listFlags: endpoint(flagOperations.listFlags, ({ query }) => listFlags(deps, query)),

    reviewFlags: opsEndpoint(flagOperations.reviewFlags, async ({ body, caller }) => {
      const by = authorOf(caller, body.by);
      if (Date.parse(body.through) > settledAt(deps.clock()).getTime())
        throw invalidInput([{ path: 'through', message: 'must be at least ten seconds ago' }]);
      const review = await reviewFlags(deps.db, body, by);
      if (!review) throw new AppError('INTERNAL');
      return { data: review };
    }),
  };
}
