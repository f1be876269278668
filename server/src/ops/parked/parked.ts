import { randomUUID } from 'node:crypto';
import type { Json, StopObject, Warning } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import { recordAct, type Act } from '../../acts/sql.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Queryable, Tx } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { Pipeline, Quarantined } from '../../mutations/change.ts';
import * as parking from '../../replication/to-host/parking.ts';
import { entryAfter, pageOf, type Page } from '../pages.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { AppError } from '../../wire/errors.ts';
import type { OpsCaller } from '../../wire/access.ts';
import { authorOf, authorOrMachine, refuseSecond } from '../acts/author.ts';
import { retryCause, skipCause } from './by-cause.ts';
import type { ParkedItem, ParkedQuery } from './contract.ts';
import { parkedOperations } from './contract.ts';

/** Lists parked entries, newest first. */
async function listParked(db: Queryable, { state, cause, limit, cursor }: ParkedQuery): Promise<Page<ParkedItem>> {
  const entries = await parking.listParked(db, { state, cause, limit: limit + 1, after: entryAfter(cursor) });
  return pageOf(entries, limit, { item: itemOf, position: ({ position, id }) => [position, id] });
}

interface Decided {
  readonly by: string;
  readonly reason: string;
}

/** @returns the entry after the change; undefined where it is not parked (any more) */
const retryParked = (db: Db, id: string, decided: Decided): Promise<ParkedItem | undefined> =>
  act(db, id, { ...decided, act: 'retryParked' }, (tx) => parking.retryParked(tx, id));

/** As `retryParked`. @throws AppError where another person has skipped it before */
const skipParked = (db: Db, id: string, decided: Decided, caller: OpsCaller): Promise<ParkedItem | undefined> =>
  act(db, id, { ...decided, act: 'skipParked' }, (tx, { skipped }) => {
    if (skipped) refuseSecond(caller, { by: skipped.by, at: skipped.at.toISOString() });
    return parking.skipParked(tx, id, decided.by, decided.reason);
  });

/** Changes an entry and records the act, in one transaction. */
function act(
  db: Db,
  id: string,
  decided: Decided & Pick<Act, 'act'>,
  change: (tx: Tx, before: parking.ParkedEntry) => Promise<void>,
): Promise<ParkedItem | undefined> {
  return withTransaction(db, async (tx) => {
    const before = await parking.findParked(tx, id);
    if (!before) return undefined;
    await change(tx, before);
    const after = await parking.findParked(tx, id);
    if (!after) return undefined;
    const item = itemOf(after);
    await recordAct(tx, { ...decided, ...subjectOf(after), before: stateOf(itemOf(before)), after: stateOf(item) });
    return item;
  });
}

const stateOf = ({ state, next_try_at }: ParkedItem): object => ({ state, next_try_at });

const subjectOf = ({ id, route, stop }: parking.ParkedEntry): Pick<Act, 'subject' | 'place'> => ({
  subject: { kind: 'parked', id },
  place: route && { facility: route.facility, route: route.id, weekEnd: route.week_end, stop: stop ?? null },
});

export interface RepairDeps {
  readonly db: Queryable;
  readonly submit: Pipeline['submit'];
  readonly clock: () => Date;
  readonly log: Log;
}

export type Repair =
  | {
      readonly result: 'repaired';
      readonly parked: ParkedItem;
      readonly changed: boolean;
      readonly warnings: readonly Warning[];
    }
  /** Rows of other files have no stop that an edit could correct. */
  | { readonly result: 'not_a_stop' }
  | { readonly result: 'other_stop'; readonly stop: number }
  | Quarantined;

/**
 * Corrects a parked stop as an edit of the office, submitted like every other change: the ledger records it, the driver
 * sees it, and the host gets the stop with it. No row bypasses the mirror.
 * @returns undefined where it is not parked (any more)
 */
async function repairParked(
  { db, submit, clock, log }: RepairDeps,
  id: string,
  { by, reason, stop }: Decided & { readonly stop: StopObject },
): Promise<Repair | undefined> {
  const entry = await parking.findParked(db, id);
  if (!entry) return undefined;
  const { route } = entry;
  if (!route || entry.stop === undefined) return { result: 'not_a_stop' };
  if (stop.id !== entry.stop) return { result: 'other_stop', stop: entry.stop };
  const now = clock();
  const outcome = await submit({
    id: randomUUID(),
    name: 'stop.update',
    version: 1,
    args: asJson(JSON.stringify({ route, stop })),
    route,
    stop: stop.id,
    actor: { kind: 'office', user: by },
    source: 'office',
    paths: 'current',
    editTime: now,
    receivedAt: now,
    dedupeByContent: false,
    act: {
      by,
      act: 'repairParked',
      ...subjectOf(entry),
      reason,
      before: { version: entry.version, sqlstate: entry.sqlstate, reason: entry.reason },
      after: { stop },
    },
  });
  if (outcome.result === 'quarantined') return outcome;
  log.info({ route: routeScope(route), stop: stop.id, user: by }, 'the office has repaired a parked stop');
  await parking.retryParked(db, id);
  const { changed, warnings } = outcome;
  // The worker may have written the stop already. Then the answer contains the entry as it was before.
  const parked = (await shown(db, id)) ?? itemOf(entry);
  return { result: 'repaired', parked, changed, warnings };
}

const asJson: (text: string) => Json = JSON.parse;

async function shown(db: Queryable, id: string): Promise<ParkedItem | undefined> {
  const entry = await parking.findParked(db, id);
  return entry && itemOf(entry);
}

function itemOf({ route, skipped, ...entry }: parking.ParkedEntry): ParkedItem {
  return {
    parked_id: entry.id,
    file: entry.file,
    key: entry.key,
    facility: route?.facility ?? null,
    route_id: route?.id ?? null,
    week_end: route?.week_end ?? null,
    stop_id: entry.stop ?? null,
    version: entry.version,
    sqlstate: entry.sqlstate,
    reason: entry.reason,
    cause: entry.cause,
    payload: entry.payload,
    attempts: entry.attempts,
    parked_at: entry.parkedAt.toISOString(),
    next_try_at: skipped ? null : entry.nextTryAt.toISOString(),
    state: skipped ? 'skipped' : 'open',
    skipped_at: skipped?.at.toISOString() ?? null,
    skipped_by: skipped?.by ?? null,
    skip_reason: skipped?.reason ?? null,
  };
}

export interface ParkedDeps {
  readonly db: Db;
  readonly pipeline: Pick<Pipeline, 'submit'>;
  readonly clock: () => Date;
  readonly log: Log;
}

/** Operators: parked entries and their ends. */
export function parkedEndpoints({ db, pipeline, clock, log }: ParkedDeps) {
  const repairs = { db, submit: pipeline.submit.bind(pipeline), clock, log };
  return {
    listParked: endpoint(parkedOperations.listParked, ({ query }) => listParked(db, query)),

    readParked: endpoint(parkedOperations.readParked, async ({ params }) => ({
      data: orUnknown(await shown(db, params.parked_id)),
    })),

    retryParkedCause: opsEndpoint(parkedOperations.retryParkedCause, async ({ body, caller }) => ({
      data: orUnknown(await retryCause(db, body, authorOf(caller, body.by))),
    })),

    skipParkedCause: opsEndpoint(parkedOperations.skipParkedCause, async ({ body, caller }) => ({
      data: orUnknown(await skipCause(db, body, authorOf(caller, body.by))),
    })),

    retryParked: opsEndpoint(parkedOperations.retryParked, async ({ params, body, caller }) => {
      const decided = { by: authorOrMachine(caller, body?.by), reason: body?.reason ?? '' };
      return { data: orUnknown(await retryParked(db, params.parked_id, decided)) };
    }),

    skipParked: opsEndpoint(parkedOperations.skipParked, async ({ params, body: { by, reason }, caller }) => {
      const decided = { by: authorOf(caller, by), reason };
      return { data: orUnknown(await skipParked(db, params.parked_id, decided, caller)) };
    }),

    repairParked: opsEndpoint(parkedOperations.repairParked, async ({ params, body, caller }) => {
      const decided = { by: authorOf(caller, body.by), reason: body.reason ?? '', stop: body.stop };
      const repair = orUnknown(await repairParked(repairs, params.parked_id, decided));
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
