import { randomUUID } from 'node:crypto';
import type { Json, StopObject, Warning } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import { recordAct, type Act } from '../../acts/sql.ts';
import type { Db, Queryable, Tx } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { Pipeline, Quarantined } from '../../mutations/change.ts';
import * as parking from '../../replication/to-host/parking.ts';
import { entryAfter, pageOf, type Page } from '../pages.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf, authorOrMachine } from '../acts/author.ts';
import { inTurn, keepApart, latestAct, refuseSecond, type Actor, type FirstAct } from '../acts/in-turn.ts';
import { findRetryOf, retryCause, skipCause } from './by-cause.ts';
import type { ParkedItem, ParkedQuery } from './contract.ts';
import { parkedOperations } from './contract.ts';
import { latestOfficeChange } from './parked-sql.ts';

/** Lists parked entries, newest first. */
async function listParked(db: Queryable, { state, cause, limit, cursor }: ParkedQuery): Promise<Page<ParkedItem>> {
  const entries = await parking.listParked(db, { state, cause, limit: limit + 1, after: entryAfter(cursor) });
  return pageOf(entries, limit, { item: itemOf, position: ({ position, id }) => [position, id] });
}

interface Decided extends Actor {
  readonly by: string;
  readonly reason: string;
}

/**
 * @returns the entry after the change; undefined where it is not parked (any more)
 * @throws AppError where another operator has decided before
 */
const retryParked = (db: Db, id: string, decided: Decided): Promise<ParkedItem | undefined> =>
  act(db, id, 'retryParked', decided, (tx) => parking.retryParked(tx, id));

/** As `retryParked`. */
const skipParked = (db: Db, id: string, decided: Decided): Promise<ParkedItem | undefined> =>
  act(db, id, 'skipParked', decided, (tx) => parking.skipParked(tx, id, decided.by, decided.reason));

/** Changes an entry and records the act, in one transaction. */
function act(
  db: Db,
  id: string,
  name: string,
  decided: Decided,
  change: (tx: Tx) => Promise<void>,
): Promise<ParkedItem | undefined> {
  return inTurn(db, subjectOf(id), async (tx) => {
    const before = await findApart(tx, id);
    if (!before) return undefined;
    refuseSecond(decided, skipOf(before) ?? (await waitingRetry(tx, before)));
    await change(tx);
    const after = await parking.findParked(tx, id);
    if (!after) return undefined;
    const item = itemOf(after);
    await recordAct(tx, {
      by: decided.by,
      act: name,
      subject: subjectOf(id),
      place: placeOf(after),
      reason: decided.reason,
      before: stateOf(itemOf(before)),
      after: stateOf(item),
    });
    return item;
  });
}

/** Finds an entry. No act on its whole cause runs until the end of the transaction. */
async function findApart(tx: Tx, id: string): Promise<parking.ParkedEntry | undefined> {
  const found = await parking.findParked(tx, id);
  if (!found) return undefined;
  await keepApart(tx, { kind: 'cause', id: found.cause });
  return parking.findParked(tx, id);
}

const skipOf = ({ skipped }: parking.ParkedEntry): FirstAct | undefined =>
  skipped && { by: skipped.by, at: skipped.at, act: 'skipParked' };

/** The act that has made an entry due, or its whole cause. Each try by a worker moves the time of the next one behind it. */
const waitingRetry = async (tx: Tx, entry: parking.ParkedEntry): Promise<FirstAct | undefined> =>
  (await latestAct(tx, subjectOf(entry.id), ['retryParked', 'repairParked'], entry.nextTryAt)) ??
  (await findRetryOf(tx, entry));

const stateOf = ({ state, next_try_at }: ParkedItem): object => ({ state, next_try_at });

const subjectOf = (id: string): Act['subject'] => ({ kind: 'parked', id });

const placeOf = ({ route, stop }: parking.ParkedEntry): Act['place'] =>
  route && { facility: route.facility, route: route.id, weekEnd: route.week_end, stop: stop ?? null };

interface Correction extends Decided {
  readonly stop: StopObject;
  /** The version of the entry that the operator has read; undefined for the present one. */
  readonly version: number | undefined;
}

export interface RepairDeps {
  readonly db: Db;
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
 * @throws AppError where another user of the office has changed the stop since
 */
function repairParked(deps: RepairDeps, id: string, decided: Correction): Promise<Repair | undefined> {
  return inTurn(deps.db, subjectOf(id), (tx) => repairInTurn(tx, deps, id, decided));
}

async function repairInTurn(
  tx: Tx,
  { submit, clock, log }: RepairDeps,
  id: string,
  decided: Correction,
): Promise<Repair | undefined> {
  const { by, reason, stop, version } = decided;
  const entry = await findApart(tx, id);
  if (!entry) return undefined;
  const { route } = entry;
  if (!route || entry.stop === undefined) return { result: 'not_a_stop' };
  if (stop.id !== entry.stop) return { result: 'other_stop', stop: entry.stop };
  const key = [route.facility, route.id, route.week_end, stop.id];
  const { rows } = await tx.query<{ by: string; at: Date }>(latestOfficeChange, [...key, version ?? entry.version, by]);
  refuseSecond(decided, skipOf(entry) ?? rows[0]);
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
      subject: subjectOf(id),
      place: placeOf(entry),
      reason,
      before: { version: entry.version, sqlstate: entry.sqlstate, reason: entry.reason },
      after: { stop },
    },
  });
  if (outcome.result === 'quarantined') return outcome;
  log.info({ route: routeScope(route), stop: stop.id, user: by }, 'the office has repaired a parked stop');
  await parking.retryParked(tx, id);
  const { changed, warnings } = outcome;
  // The worker may have written the stop already. Then the answer contains the entry as it was before.
  const parked = (await shown(tx, id)) ?? itemOf(entry);
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
      data: orUnknown(await retryCause(db, body, { caller, by: authorOf(caller, body.by) })),
    })),

    skipParkedCause: opsEndpoint(parkedOperations.skipParkedCause, async ({ body, caller }) => ({
      data: orUnknown(await skipCause(db, body, { caller, seen: body.seen, by: authorOf(caller, body.by) })),
    })),

    retryParked: opsEndpoint(parkedOperations.retryParked, async ({ params, body, caller }) => {
      const by = authorOrMachine(caller, body?.by);
      const decided = { caller, by, reason: body?.reason ?? '', seen: body?.seen };
      return { data: orUnknown(await retryParked(db, params.parked_id, decided)) };
    }),

    skipParked: opsEndpoint(parkedOperations.skipParked, async ({ params, body: { by, reason, seen }, caller }) => {
      const decided = { caller, by: authorOf(caller, by), reason, seen };
      return { data: orUnknown(await skipParked(db, params.parked_id, decided)) };
    }),

    repairParked: opsEndpoint(parkedOperations.repairParked, async ({ params, body, caller }) => {
      const { stop, reason, seen, expected_version } = body;
      const by = authorOf(caller, body.by);
      const decided = { caller, by, reason: reason ?? '', seen, stop, version: expected_version ?? undefined };
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
