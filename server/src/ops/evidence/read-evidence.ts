import type { RouteKey } from '@tailgate/sync-protocol';
import type { Withheld } from '../../../verify/src/format.ts';
import type { FileSource, Stored } from '../../assets/file-bytes.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Queryable } from '../../db/types.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { readSummarizedStop } from '../../mail/stop-reading.ts';
import { evidenceOf } from '../../stops/named-assets.ts';
import type { ReadKeys } from '../../tlog/keys.ts';
import { AppError } from '../../wire/errors.ts';
import { placeName } from '../history/chain.ts';
import { orNotFound, readStopHistory } from '../history/history.ts';
import { holdsOfStop } from '../legal-holds/legal-holds.ts';
import { changesGone, type GoneChange } from './custody.ts';
import type { EvidenceAct, EvidenceReport, StopEvidence } from './evidence.ts';
import * as sql from './evidence-sql.ts';
import { readProofs, type LogProofs } from './log/log-proofs.ts';
import { stopEvidence, type KnownFile, type Seal } from './stop-evidence.ts';

/** The stops of a pack. */
export type Scope =
  | { readonly kind: 'stop'; readonly route: RouteKey; readonly stop: number }
  | { readonly kind: 'route'; readonly route: RouteKey }
  | {
      readonly kind: 'customer';
      readonly facility: string;
      readonly customer: string;
      /** First and last day of dispatch, YYYYMMDD. */
      readonly from: string;
      readonly until: string;
    };

/** A pack has at most these stops: their texts are in memory while it is made, and their files are not. */
const maxStops = 400;

/** The evidence of a scope at one moment. */
export interface Evidence {
  readonly stops: readonly StopEvidence[];
  /** The places of the bytes of its files, by asset. */
  readonly stored: ReadonlyMap<string, Stored>;
  /** The proofs of its facts; undefined where there is no log. */
  readonly log: LogProofs | undefined;
}

/** The sources of evidence. */
export interface EvidenceSource {
  readonly db: Db;
  readonly store?: FileSource['store'];
  /** The keys of the logs, as far as this server has them. */
  readonly logKeys: ReadKeys;
}

/**
 * Reads the evidence of a scope. All of it is of one moment.
 *
 * @throws AppError ROUTE_NOT_FOUND, STOP_NOT_FOUND, or VALIDATION_FAILED where a scope has too many stops
 */
export async function readEvidence(
  { db, logKeys: keys }: EvidenceSource,
  scope: Scope,
  without: ReadonlySet<Withheld>,
): Promise<Evidence> {
  return withTransaction(db, async (tx) => {
    await tx.query(sql.readOneMoment);
    const stops: StopEvidence[] = [];
    const stored = new Map<string, Stored>();
    for (const { key, stop } of await stopsOf(tx, scope)) {
      const read = await readStop(tx, key, stop, without);
      stops.push(read.evidence);
      for (const file of read.stored) stored.set(file.id, file);
    }
    return { stops, stored, log: await readProofs(tx, stops, { keys, isNameless: without.has('names') }) };
  });
}

interface StopPlace {
  readonly key: RouteKey;
  readonly stop: number;
}

type PlaceRow = { readonly facility: string; readonly route_id: string; readonly week_end: string; stop_id: number };

async function stopsOf(db: Queryable, scope: Scope): Promise<StopPlace[]> {
  if (scope.kind === 'stop') return [{ key: scope.route, stop: scope.stop }];
  const rows = scope.kind === 'route' ? await stopsOfRoute(db, scope.route) : await stopsOfCustomer(db, scope);
  if (rows.length > maxStops) {
    const path = scope.kind === 'route' ? 'route_id' : 'until';
    throw invalidInput([{ path, message: `names more than ${maxStops} stops: ask for a part of them` }]);
  }
  return rows.map(({ facility, route_id: id, week_end, stop_id }) => ({
    key: { facility, id, week_end },
    stop: stop_id,
  }));
}

async function stopsOfRoute(db: Queryable, { facility, id, week_end }: RouteKey): Promise<PlaceRow[]> {
  const key = [facility, id, week_end];
  const known = await db.query(sql.findRoute, key);
  if (known.rows.length === 0) throw new AppError('ROUTE_NOT_FOUND');
  const { rows } = await db.query<PlaceRow>(sql.listStopsOfRoute, [...key, maxStops + 1]);
  if (rows.length === 0) throw new AppError('STOP_NOT_FOUND');
  return rows;
}

async function stopsOfCustomer(db: Queryable, scope: Extract<Scope, { kind: 'customer' }>): Promise<PlaceRow[]> {
  const { facility, customer, from, until } = scope;
  const { rows } = await db.query<PlaceRow>(sql.listStopsOfCustomer, [facility, customer, from, until, maxStops + 1]);
  if (rows.length === 0) throw new AppError('STOP_NOT_FOUND', { message: 'The customer has no stop in these days.' });
  return rows;
}

interface StopRead {
  readonly evidence: StopEvidence;
  readonly stored: readonly Stored[];
}

async function readStop(db: Queryable, key: RouteKey, stop: number, without: ReadonlySet<Withheld>): Promise<StopRead> {
  const reading = await readSummarizedStop(db, key, stop);
  // A route that is incomplete on the host counts as missing, as everywhere.
  if (!reading?.published) throw new AppError('ROUTE_NOT_FOUND');
  if (!reading.stop) throw new AppError('STOP_NOT_FOUND');
  const place = [key.facility, key.id, key.week_end, stop];
  const history = orNotFound(await readStopHistory(db, key, stop));
  const rows = await readFiles(db, [...evidenceOf(reading.stop.result)]);
  const readings = {
    stop: reading.stop,
    history,
    seals: await readSeals(db, place),
    expired: await readExpired(db, changesGone(reading.stop.result, history.mutations)),
    files: rows.map(fileOf),
    acts: await readActs(db, place),
    reports: await readReports(db, key),
    holds: await holdsOfStop(db, key, stop),
  };
  return {
    evidence: stopEvidence(readings, without),
    stored: rows.flatMap(({ id, content, object, size, state, purged }) =>
      state === 'R' && !purged && content !== null ? [{ id, content, object, size }] : [],
    ),
  };
}

async function readSeals(db: Queryable, place: unknown[]): Promise<Map<string, Seal>> {
  const { rows } = await db.query<Seal & { id: string }>(sql.listSeals, place);
  return new Map(rows.map(({ id, hash, prev_hash }) => [id, { hash, prev_hash }]));
}

async function readExpired(db: Queryable, gone: readonly GoneChange[]): Promise<Set<string>> {
  if (gone.length === 0) return new Set();
  const places = [gone.map(({ client }) => client), gone.map(({ seq }) => seq)];
  const { rows } = await db.query<GoneChange>(sql.findExpired, places);
  return new Set(rows.map(({ client, seq }) => placeName(client, seq)));
}

type FileRow = Pick<KnownFile, 'id' | 'batch' | 'name' | 'mime' | 'size' | 'sha256'> & {
  readonly state: 'L' | 'R' | 'M';
  readonly content: string | null;
  readonly object: string | null;
  readonly received_at: Date | null;
  readonly purged: boolean;
};

async function readFiles(db: Queryable, ids: readonly string[]): Promise<FileRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query<FileRow>(sql.listEvidenceFiles, [ids]);
  return rows;
}

const states = { L: 'awaited', R: 'here', M: 'missing' } as const;

const fileOf = ({ id, batch, state, name, mime, size, sha256, received_at, purged }: FileRow): KnownFile => ({
  id,
  batch,
  state: purged ? 'deleted' : states[state],
  name,
  mime,
  size,
  sha256,
  received_at: received_at?.toISOString() ?? null,
});

type ActRow = Omit<EvidenceAct, 'at'> & { readonly at: Date };

async function readActs(db: Queryable, place: unknown[]): Promise<EvidenceAct[]> {
  const { rows } = await db.query<ActRow>(sql.listStopActs, place);
  return rows.map((act) => ({ ...act, at: act.at.toISOString() }));
}

type ReportRow = Omit<EvidenceReport, 'captured_at' | 'received_at' | 'body'> & {
  readonly captured_at: Date;
  readonly received_at: Date;
  readonly doc: string;
};

/** The driver app names the load of a route by route and week. */
async function readReports(db: Queryable, { facility, id, week_end }: RouteKey): Promise<EvidenceReport[]> {
  const { rows } = await db.query<ReportRow>(sql.listLoadReports, [facility, id, week_end, `${id}-${week_end}`]);
  return rows.map(({ doc, captured_at, received_at, ...report }) => ({
    ...report,
    captured_at: captured_at.toISOString(),
    received_at: received_at.toISOString(),
    body: doc,
  }));
}
