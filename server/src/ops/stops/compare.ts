import type { RouteKey, StopResult } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import { hostMoment } from '../../host/files/local-time.ts';
import { hostFile } from '../../host/files/tables.ts';
import { stopAt } from '../../replication/from-host/earlier-stop.ts';
import { decodeStop } from '../../replication/to-host/shadow.ts';
import { hostRows, isUntouched } from '../../stops/host-rows.ts';
import { stopFiles, type StopFile, type StopOnHost, type StopRows } from '../../stops/host-stop.ts';
import { readResult } from '../../stops/stored-documents.ts';
import { readStopState, type Missing } from '../history/history.ts';
import type { ComparedField, StopComparison } from './contract.ts';
import * as sql from './stops-sql.ts';

/** Reads a stop from the host; undefined where the host has none. */
export type ReadHostStop = (key: RouteKey, stop: number) => Promise<StopOnHost | undefined>;

export interface CompareDeps {
  readonly db: Db;
  readonly clock: () => Date;
  /** Without it the confirmed rows count. */
  readonly readHost: ReadHostStop | undefined;
}

export type Compared = StopComparison | Missing | { readonly unavailable: unknown };

/** Compares a stop in the form of the host: by phones alone, in the mirror, and on the host. */
export async function compareStop(
  { db, clock, readHost }: CompareDeps,
  key: RouteKey,
  stop: number,
): Promise<Compared> {
  const state = await readStopState(db, key, stop);
  if ('missing' in state) return state;
  const place = [key.facility, key.id, key.week_end, stop];
  const [zones, phones] = await Promise.all([
    db.query<{ zone: string }>(sql.readZone, [key.facility]),
    db.query<{ phone_version: number | null }>(sql.readPhoneVersion, place),
  ]);
  const phoneVersion = phones.rows[0]?.phone_version ?? null;
  const phoneResult = phoneVersion === null ? undefined : await stopAt(db, key, stop, phoneVersion, 'phones');

  const confirmed = state.shadow === null ? undefined : decodeStop(state.shadow, key, stop);
  let host = confirmed;
  try {
    if (readHost) host = await readHost(key, stop);
  } catch (unavailable) {
    return { unavailable };
  }
  const zone = zones.rows[0]?.zone ?? 'UTC';
  const moment = (instant: Date) => hostMoment(instant, zone);
  const rowsOf = (result: StopResult): StopRows =>
    hostRows({ key, stop, result, sequence: `${state.sequence ?? 0}`, moment }, confirmed);
  const result = readResult(state.doc);
  const fields = comparedFields({
    phone: phoneResult && rowsOf(phoneResult),
    server: confirmed === undefined && isUntouched(result) ? undefined : rowsOf(result),
    host: host?.rows,
  });
  const isLive = readHost !== undefined;
  return {
    facility: key.facility,
    route_id: key.id,
    week_end: key.week_end,
    stop_id: stop,
    version: state.version,
    phone_version: phoneVersion,
    host_read: isLive ? 'live' : 'confirmed',
    host_at: host === undefined ? null : ((isLive ? clock() : state.confirmed_at)?.toISOString() ?? null),
    host_trace: host?.rows.RTSTUP[0]?.RUTRC ?? '',
    different: fields.filter(({ differs }) => differs !== 'none').length,
    fields,
  };
}

interface Sides {
  readonly phone: StopRows | undefined;
  readonly server: StopRows | undefined;
  readonly host: StopRows | undefined;
}
type Row = { readonly [column: string]: string };

/** Columns that only replication writes. */
const own = new Set(['RURPSQ', 'RUTRC', 'RQRPSQ', 'OSRPSQ']);

/** Every column of every row that a side has; different ones first, else in the order of the files. */
function comparedFields({ phone, server, host }: Sides): ComparedField[] {
  const fields = stopFiles.flatMap((file) => {
    const sides = [phone, server, host].map((rows) => rowsByKey(file, rows));
    const keys = new Set(sides.flatMap((rows) => [...rows.keys()]));
    return [...keys].flatMap((row) => {
      const [said, ours, theirs] = sides.map((rows) => rows.get(row));
      return fieldsOf(file, row, { said, ours, theirs });
    });
  });
  const rank = ({ differs }: ComparedField): number => (differs === 'none' ? 1 : 0);
  return fields.toSorted((a, b) => rank(a) - rank(b));
}

function fieldsOf(
  file: StopFile,
  row: string,
  { said, ours, theirs }: Readonly<Record<'said' | 'ours' | 'theirs', Row | undefined>>,
): ComparedField[] {
  const { service } = hostFile(file);
  return Object.entries(service)
    .filter(([column]) => !own.has(column))
    .map(([column, { text: label }]) => {
      const [phone, server, host] = [said?.[column] ?? null, ours?.[column] ?? null, theirs?.[column] ?? null];
      return { file, row, column, label, phone, server, host, differs: differenceOf(column, phone, server, host) };
    });
}

/** Without a change by a phone, the two others are compared. */
function differenceOf(
  column: string,
  phone: string | null,
  server: string | null,
  host: string | null,
): ComparedField['differs'] {
  const isSame = (one: string | null, other: string | null): boolean =>
    one === other || (isInitial(column, one) && isInitial(column, other));
  if (phone === null || isSame(phone, server)) return isSame(server, host) ? 'none' : 'host';
  if (isSame(server, host)) return 'phone';
  return isSame(phone, host) ? 'server' : 'all';
}

const flags = new Set(['RSARVF', 'RUFLWF', 'RUCMTL']);

/** A row that does not exist means the same as one with initial values. */
const isInitial = (column: string, value: string | null): boolean =>
  value === null ||
  /^[ 0.]*$/.test(value) ||
  (value === 'N' && flags.has(column)) ||
  (value === 'P' && column === 'RSSTS');

/** Rows by the part of their key that follows the stop. */
function rowsByKey(file: StopFile, rows: StopRows | undefined): ReadonlyMap<string, Row> {
  const [, , , , ...rest] = Object.keys(hostFile(file).key);
  const all: readonly Row[] = rows?.[file] ?? [];
  return new Map(all.map((row) => [rest.map((column) => row[column] ?? '').join('/'), row]));
}
