import { isUtf8 } from 'node:buffer';
import { recordAct, type Act } from '../../acts/sql.ts';
import type { Db, Queryable, Tx } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { Pipeline, Quarantined } from '../../mutations/change.ts';
import { dismissEntry, findQuarantined } from '../../mutations/quarantine/quarantine.ts';
import { entryAfter, pageOf, type Page } from '../pages.ts';
import * as sql from './quarantine-sql.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf } from '../acts/author.ts';
import { inTurn, refuseSecond, type Actor } from '../acts/in-turn.ts';
import type { QuarantineEntry, QuarantineQuery, QuarantinedItem, ReleaseAnswer } from './contract.ts';
import { quarantineOperations } from './contract.ts';

interface QuarantineRow {
  readonly quarantine_id: string;
  readonly id: string;
  readonly client_id: string | null;
  readonly seq: number | null;
  readonly employee: string;
  readonly employee_name: string;
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly stop_id: number | null;
  readonly name: string;
  readonly code: string;
  readonly reason: string;
  readonly details: string;
  readonly body: Buffer;
  readonly received_at: Date;
  readonly attempts: number;
  readonly last_received_at: Date;
  readonly state: QuarantinedItem['state'];
  readonly resolved_at: Date | null;
  readonly resolved_by: string | null;
  readonly note: string | null;
  readonly position: string;
  /** Rows of the page before its bytes ended it. */
  readonly found: number;
}

/** Lists entries, newest first. */
async function listQuarantine(
  db: Queryable,
  { state, code, name, limit, cursor }: QuarantineQuery,
): Promise<Page<QuarantinedItem>> {
  const after = entryAfter(cursor);
  const named = [state === 'all' ? null : state, code ?? null, name ?? null];
  const values = [...named, after?.[0] ?? null, after?.[1] ?? null, limit + 1];
  const { rows } = await db.query<QuarantineRow & Record<string, unknown>>(sql.listQuarantine, values);
  return pageOf(rows, limit, {
    item: itemOf,
    position: ({ position, quarantine_id }) => [position, quarantine_id],
    hasMore: (rows[0]?.found ?? 0) > Math.min(limit, rows.length),
  });
}

type EntryRow = Omit<QuarantineRow, 'position' | 'found'> &
  Pick<QuarantineEntry, 'source' | 'device' | 'app' | 'version'> & {
    readonly captured_at: Date | null;
    readonly edit_time: Date | null;
  };

/** One entry in full; undefined where there is none. */
async function readQuarantined(db: Queryable, id: string): Promise<QuarantineEntry | undefined> {
  const { rows } = await db.query<EntryRow & Record<string, unknown>>(sql.readQuarantined, [id]);
  const [row] = rows;
  if (!row) return undefined;
  const { source, device, app, captured_at, edit_time, version } = row;
  return {
    ...itemOf(row),
    source,
    device,
    app,
    captured_at: captured_at?.toISOString() ?? null,
    edit_time: edit_time?.toISOString() ?? null,
    version,
  };
}

export interface ReleaseDeps {
  readonly db: Db;
  readonly release: Pipeline['release'];
  readonly log: Log;
}

interface Decision extends Actor {
  readonly by: string;
  readonly note: string;
}

export type Released = { readonly result: 'released'; readonly answer: ReleaseAnswer } | Quarantined;

/**
 * Applies an entry like every other change, with its author's name, times and id. A later resend of the same item is
 * then a duplicate. A release that the rules refuse leaves the entry as it is.
 * @returns undefined where there is no such entry
 * @throws AppError where another operator has dismissed it before
 */
function releaseQuarantined(deps: ReleaseDeps, id: string, decision: Decision): Promise<Released | undefined> {
  return inTurn(deps.db, subjectOf(id), (tx) => releaseInTurn(tx, deps, id, decision));
}

async function releaseInTurn(
  tx: Tx,
  { release, log }: ReleaseDeps,
  id: string,
  decision: Decision,
): Promise<Released | undefined> {
  const before = await readQuarantined(tx, id);
  const found = await findQuarantined(tx, id, decision);
  if (!found || !before) return undefined;
  if (before.state === 'dismissed') refuseSecond(decision, firstOf(before));
  // An entry that was released before is a duplicate, and no act.
  const act = before.state === 'released' ? undefined : actOf('releaseQuarantined', before, 'released', decision);
  const outcome = await release({ ...found, act });
  if (outcome.result === 'quarantined') return outcome;
  log.info({ mutation: found.id, user: decision.by }, 'the office has released what was in quarantine');
  const item = await readQuarantined(tx, id);
  if (!item) return undefined; // settled, and deleted since
  const changed = outcome.result === 'reported' ? !outcome.duplicate : outcome.changed;
  return { result: 'released', answer: { item, changed, warnings: [...outcome.warnings] } };
}

/**
 * Dismisses an entry; its phone receives the reason.
 * @returns the entry after the change, released where another operator was faster; undefined where there is none
 * @throws AppError where another operator has dismissed it before
 */
function dismissQuarantined(db: Db, id: string, decision: Decision): Promise<QuarantineEntry | undefined> {
  return inTurn(db, subjectOf(id), async (tx) => {
    const before = await readQuarantined(tx, id);
    if (before?.state === 'dismissed') refuseSecond(decision, firstOf(before));
    await dismissEntry(tx, id, decision);
    const after = await readQuarantined(tx, id);
    if (before && after?.state === 'dismissed')
      await recordAct(tx, actOf('dismissQuarantined', before, 'dismissed', decision));
    return after;
  });
}

const firstOf = ({ state, resolved_by: by, resolved_at: at }: QuarantineEntry) => ({
  by,
  at,
  act: state === 'released' ? 'releaseQuarantined' : 'dismissQuarantined',
});

const subjectOf = (id: string): Act['subject'] => ({ kind: 'quarantine', id });

const actOf = (
  act: string,
  entry: QuarantineEntry,
  state: QuarantineEntry['state'],
  { by, note }: { readonly by: string; readonly note: string },
): Act => ({
  by,
  act,
  subject: subjectOf(entry.quarantine_id),
  place: { facility: entry.facility, route: entry.route_id, weekEnd: entry.week_end, stop: entry.stop_id },
  employee: entry.employee || undefined,
  reason: note,
  before: { state: entry.state, resolved_by: entry.resolved_by, note: entry.note },
  after: { state },
});

function itemOf(row: Omit<QuarantineRow, 'position' | 'found'>): QuarantinedItem {
  const { body } = row;
  const encoding = isUtf8(body) ? 'utf-8' : 'base64';
  return {
    quarantine_id: row.quarantine_id,
    id: row.id,
    client_id: row.client_id,
    seq: row.seq,
    employee: row.employee,
    employee_name: row.employee_name,
    facility: row.facility,
    route_id: row.route_id,
    week_end: row.week_end,
    stop_id: row.stop_id,
    name: row.name,
    code: row.code,
    reason: row.reason,
    details: readDetails(row.details),
    body: body.toString(encoding),
    body_encoding: encoding,
    received_at: row.received_at.toISOString(),
    attempts: row.attempts,
    last_received_at: row.last_received_at.toISOString(),
    state: row.state,
    resolved_at: row.resolved_at?.toISOString() ?? null,
    resolved_by: row.resolved_by,
    note: row.note,
  };
}

const readDetails: (json: string) => QuarantinedItem['details'] = JSON.parse;

export interface QuarantineDeps {
  readonly db: Db;
  readonly pipeline: Pick<Pipeline, 'release'>;
  readonly log: Log;
}

/** Operators: quarantined mutations and their ends. */
export function quarantineEndpoints({ db, pipeline, log }: QuarantineDeps) {
  const releases = { db, release: pipeline.release.bind(pipeline), log };
  return {
    listQuarantine: endpoint(quarantineOperations.listQuarantine, ({ query }) => listQuarantine(db, query)),

    readQuarantined: endpoint(quarantineOperations.readQuarantined, async ({ params }) => ({
      data: orUnknown(await readQuarantined(db, params.quarantine_id)),
    })),

    releaseQuarantined: opsEndpoint(quarantineOperations.releaseQuarantined, async ({ params, body, caller }) => {
      const { by, note, seen } = body;
      const decision = { caller, by: authorOf(caller, by), note, seen };
      const released = orUnknown(await releaseQuarantined(releases, params.quarantine_id, decision));
      if (released.result === 'released') return { data: released.answer };
      const { code, reason, details } = released;
      throw new AppError(code, { message: reason, details });
    }),

    dismissQuarantined: opsEndpoint(quarantineOperations.dismissQuarantined, async ({ params, body, caller }) => {
      const { by, reason, seen } = body;
      const decision = { caller, by: authorOf(caller, by), note: reason, seen };
      const entry = orUnknown(await dismissQuarantined(db, params.quarantine_id, decision));
      if (entry.state === 'released') throw new AppError('QUARANTINE_RELEASED', { data: firstOf(entry) });
      return { data: entry };
    }),
  };
}

function orUnknown<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new AppError('QUARANTINE_NOT_FOUND');
  return found;
}
