import type { RouteKey } from '@tailgate/sync-protocol';
import type { Db, Queryable } from '../../db/types.ts';
import { decodeStop } from '../../replication/to-host/shadow.ts';
import { evidenceOf } from '../../stops/named-assets.ts';
import { readResult } from '../../stops/stored-documents.ts';
import { placeName, verifyChain, type Absence, type Sealed, type SealedBody } from './chain.ts';
import * as sql from './history-sql.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import type {
  ChainReport,
  HistoryFile,
  HostStatus,
  LedgerEntry,
  ProofMail,
  StopHistory,
  StopHistoryQuery,
} from './contract.ts';
import { historyOperations } from './contract.ts';

/** The missing part of a stop's key. */
export interface Missing {
  readonly missing: 'route' | 'stop';
}

type StopStateRow = {
  readonly hosted_through: number;
  readonly shadow_through: number;
  readonly version: number | null;
  readonly status: string;
  readonly doc: string;
  readonly sequence: number | null;
  readonly shadow: string | null;
  readonly confirmed_at: Date | null;
  readonly parked_id: string | null;
  readonly parked_at: Date | null;
  readonly parked_reason: string | null;
  readonly skipped_at: Date | null;
  readonly skipped_by: string | null;
  readonly skip_reason: string | null;
};
export type StopState = StopStateRow & { readonly version: number };
type LedgerRow = Omit<LedgerEntry, 'captured_at' | 'edit_time' | 'received_at' | 'on_host' | 'warnings'> & {
  readonly captured_at: Date | null;
  readonly edit_time: Date;
  readonly received_at: Date;
  readonly warnings: string;
};
type QuarantineRow = Omit<StopHistory['kept'][number], 'received_at'> & { readonly received_at: Date };
export type FileRow = Pick<HistoryFile, 'asset_id' | 'mime' | 'size' | 'sha256'> & {
  readonly state: 'L' | 'R' | 'M';
  readonly received_at: Date | null;
  readonly hosted: boolean;
};
export type MailRow = { readonly mutation_id: string; readonly sent_at: Date };

/** Everything recorded of a stop and its results, the oldest first. */
export async function readStopHistory(db: Queryable, key: RouteKey, stop: number): Promise<StopHistory | Missing> {
  const state = await readStopState(db, key, stop);
  if ('missing' in state) return state;
  const values = valuesOf(key, stop);
  // One after the other: in a transaction they have one connection.
  const ledger = await db.query<LedgerRow>(sql.listLedger, values);
  const kept = await db.query<QuarantineRow>(sql.listQuarantined, values);
  const files = await db.query<FileRow>(sql.listFiles, [[...evidenceOf(readResult(state.doc))]]);
  const mails = await db.query<MailRow>(sql.listMails, values);
  const proofs = await readProofs(db, key, stop);
  const isHosted = (version: number): boolean => isOnHost(state, version);
  return {
    facility: key.facility,
    route_id: key.id,
    week_end: key.week_end,
    stop_id: stop,
    status: state.status,
    version: state.version,
    host: hostStatusOf(state, key, stop),
    mutations: ledger.rows.map((row) => entryOf(row, isHosted(row.version))),
    kept: kept.rows.map(({ received_at, ...entry }) => ({ ...entry, received_at: received_at.toISOString() })),
    files: files.rows.map(fileOf),
    mails: mails.rows.map(({ mutation_id, sent_at }) => ({ mutation_id, sent_at: sent_at.toISOString() })),
    proofs,
  };
}

type ProofRow = {
  readonly mail_id: string;
  readonly address: string;
  readonly by: string;
  readonly asked_at: Date;
  readonly given_up_at: Date | null;
  readonly sent_at: Date | null;
};

/** Delivery summaries that operators have sent, newest first. */
export async function readProofs(db: Queryable, key: RouteKey, stop: number): Promise<ProofMail[]> {
  const { rows } = await db.query<ProofRow>(sql.listProofs, valuesOf(key, stop));
  return rows.map(({ mail_id, address: to, by, asked_at, given_up_at, sent_at }) => ({
    mail_id,
    to,
    by,
    asked_at: asked_at.toISOString(),
    state: sent_at ? 'sent' : given_up_at ? 'given_up' : 'queued',
    sent_at: sent_at?.toISOString() ?? null,
  }));
}

const isOnHost = ({ parked_at, hosted_through, shadow_through }: StopStateRow, version: number): boolean =>
  parked_at === null && version <= hosted_through && version > shadow_through;

/** The state of a stop on the host, from the mirror. */
export function hostStatusOf(state: StopState, key: RouteKey, stop: number): HostStatus {
  return {
    on_host: isOnHost(state, state.version),
    trace: state.shadow === null ? '' : (decodeStop(state.shadow, key, stop).rows.RTSTUP[0]?.RUTRC ?? ''),
    sequence: state.sequence,
    confirmed_at: state.confirmed_at?.toISOString() ?? null,
    parked_id: state.parked_id,
    parked_since: state.parked_at?.toISOString() ?? null,
    parked_reason: state.parked_reason ?? '',
    skipped_at: state.skipped_at?.toISOString() ?? null,
    skipped_by: state.skipped_by,
    skip_reason: state.skip_reason,
  };
}

/** Checks a stop's mutations against the seals of their devices, each after its predecessor in the queue. */
async function verifyStopHistory(db: Queryable, key: RouteKey, stop: number): Promise<ChainReport | Missing> {
  const state = await readStopState(db, key, stop);
  if ('missing' in state) return state;
  const { rows } = await db.query<SealedBody & { employee: string }>(sql.listSealed, valuesOf(key, stop));
  const wanted = rows.flatMap(({ client_id, seq, employee }) =>
    client_id !== null && seq !== null && seq > 1 ? [{ client_id, seq: seq - 1, employee }] : [],
  );
  const places = [wanted.map(({ client_id }) => client_id), wanted.map(({ seq }) => seq)];
  const employees = [...new Set(wanted.map(({ employee }) => employee))];
  const [found, absent] = await Promise.all([
    db.query<Sealed & Place>(sql.findSealed, [...places, employees]),
    db.query<Place & { why: Absence }>(sql.findAbsent, places),
  ]);
  return verifyChain(rows, new Map(found.rows.map(named)), new Map(absent.rows.map((row) => [nameOf(row), row.why])));
}

type Place = { readonly client_id: string; readonly seq: number };
const nameOf = ({ client_id, seq }: Place): string => placeName(client_id, seq);
const named = <Row extends Place>(row: Row): [string, Row] => [nameOf(row), row];

export async function readStopState(db: Queryable, key: RouteKey, stop: number): Promise<StopState | Missing> {
  const { rows } = await db.query<StopStateRow>(sql.readStopState, valuesOf(key, stop));
  const [row] = rows;
  if (!row) return { missing: 'route' };
  const { version } = row;
  return version === null ? { missing: 'stop' } : { ...row, version };
}

const valuesOf = ({ facility, id, week_end }: RouteKey, stop: number) => [facility, id, week_end, stop];

const entryOf = (row: LedgerRow, onHost: boolean): LedgerEntry => ({
  ...row,
  captured_at: row.captured_at?.toISOString() ?? null,
  edit_time: row.edit_time.toISOString(),
  received_at: row.received_at.toISOString(),
  on_host: onHost,
  warnings: readWarnings(row.warnings),
});

const fileStates = { L: 'awaited', R: 'here', M: 'missing' } as const;
export const fileOf = ({ state, hosted, received_at, ...file }: FileRow): HistoryFile => ({
  ...file,
  state: fileStates[state],
  received_at: received_at?.toISOString() ?? null,
  on_host: state === 'R' && hosted,
});

const readWarnings: (json: string) => LedgerEntry['warnings'] = JSON.parse;

/** Operators: the record of one stop. */
export function historyEndpoints(db: Db) {
  return {
    readStopHistory: endpoint(historyOperations.readStopHistory, async ({ query }) => ({
      data: orNotFound(await readStopHistory(db, keyOf(query), query.stop_id)),
    })),

    verifyStopHistory: endpoint(historyOperations.verifyStopHistory, async ({ query }) => ({
      data: orNotFound(await verifyStopHistory(db, keyOf(query), query.stop_id)),
    })),
  };
}

const keyOf = ({ facility, route_id: id, week_end }: StopHistoryQuery) => ({ facility, id, week_end });

export function orNotFound<Found extends object>(answer: Found | Missing): Found {
  if ('missing' in answer) throw new AppError(answer.missing === 'route' ? 'ROUTE_NOT_FOUND' : 'STOP_NOT_FOUND');
  return answer;
}
