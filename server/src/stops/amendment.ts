import type { LineUpdate, StopObject, StopUpdates } from '@tailgate/sync-protocol';
import { stopObject, stopStatus, warehouseStop } from '@tailgate/sync-protocol';
import type { ServicePart } from '../replication/host/tables.ts';
import type { StopRows } from './host-rows.ts';

type ResultRow = ServicePart<'RTSTUP'>;
type LineRow = ServicePart<'RTPRUP'>;

/** Turns a host-local date and time into an instant; zeros are none. */
export type InstantOf = (moment: { date: string; time: string }) => Date | undefined;

export type Amendment = {
  /** What the office changed, as the stop object that says so; undefined where nothing of it can be said. */
  update: StopObject | undefined;
  /** Columns that differ and have no field, `RTOSDP.OSQTY`: a person has to look. */
  untold: readonly string[];
};

/**
 * What somebody else has written into the service's columns of a stop: the difference between what we were last
 * confirmed to have written and what the host holds.
 *
 * @param held the shadow; undefined where the service has never written this stop
 */
export function amendmentOf(stop: number, held: StopRows | undefined, host: StopRows, instantOf: InstantOf): Amendment {
  const untold: string[] = [];
  const before = held?.RTSTPP[0];
  const now = host.RTSTPP[0];
  const updates: StopUpdates = {
    ...resultDifference(held?.RTSTUP[0], host.RTSTUP[0], instantOf, untold),
    ...statusDifference(stop, held, host),
  };
  const products = lineDifferences('P', held?.RTPRUP, host.RTPRUP, untold);
  const collections = lineDifferences('C', held?.RTPRUP, host.RTPRUP, untold);
  for (const file of ['RTOSDP', 'RTIMGP', 'RTEMLP'] as const)
    untold.push(...rowDifferences(file, held?.[file], host[file]));
  const arrived = now?.RSARVF === 'Y' && before?.RSARVF !== 'Y';
  const said = {
    id: stop,
    ...(arrived ? { arrived } : {}),
    ...(Object.keys(updates).length > 0 ? { updates } : {}),
    ...(products.length > 0 ? { products } : {}),
    ...(collections.length > 0 ? { collections } : {}),
  };
  if (Object.keys(said).length === 1) return { update: undefined, untold };
  const parsed = stopObject.safeParse(said);
  return parsed.success ? { update: parsed.data, untold } : { update: undefined, untold: [...untold, 'RTSTUP'] };
}

/** The status stands in two files; the one that differs from what we wrote is the one that was changed. */
function statusDifference(stop: number, held: StopRows | undefined, host: StopRows): Pick<StopUpdates, 'status'> {
  const ours = held?.RTSTPP[0]?.RSSTS || 'P';
  const candidates = [host.RTSTPP[0]?.RSSTS || 'P', host.RTSTUP[0]?.RUSTS || ours];
  const status = stopStatus.safeParse(candidates.find((candidate) => candidate !== ours));
  if (!status.success || (status.data === 'C' && stop !== warehouseStop)) return {};
  return { status: status.data };
}

/** Columns that are one field each; blank clears. */
const texts = [
  ['RUFLWC', 'followup_reason_code'],
  ['RUDRV', 'delivered_by_driver_id'],
  ['RUSEMP', 'store_emp_id'],
  ['RUSNAM', 'store_emp_name'],
  ['RUCMT', 'driver_comments'],
  ['RUSKRC', 'skip_refuse_reason_code'],
  ['RUSKCM', 'skip_refuse_driver_comment'],
  ['RUSIG', 'signature_id'],
] as const;
const moments = [
  ['RUSDT', 'RUSTM', 'start_delivery_time'],
  ['RUEDT', 'RUETM', 'end_delivery_time'],
  ['RUSKDT', 'RUSKTM', 'skip_refuse_timestamp'],
] as const;
const places = [
  ['RULAT', 'delivery_latitude'],
  ['RULON', 'delivery_longitude'],
] as const;

function resultDifference(
  held: ResultRow | undefined,
  host: ResultRow | undefined,
  instantOf: InstantOf,
  untold: string[],
): StopUpdates {
  if (host === undefined) {
    // Rows of ours are never deleted by anybody who means well.
    if (held !== undefined) untold.push('RTSTUP');
    return {};
  }
  const differs = (column: keyof ResultRow): boolean =>
    held === undefined ? !isBlank(host[column]) : host[column] !== held[column];
  const updates: StopUpdates = {};
  for (const [column, field] of texts) if (differs(column)) updates[field] = host[column] || null;
  for (const [date, time, field] of moments) {
    if (differs(date) || differs(time))
      updates[field] = instantOf({ date: host[date], time: host[time] })?.toISOString() ?? null;
  }
  for (const [column, field] of places)
    if (differs(column)) updates[field] = Number(host[column]) === 0 ? null : host[column];
  // Blank is how the host's own programs leave it: only Y and N say something.
  if (differs('RUFLWF') && host.RUFLWF !== '') updates.followup = host.RUFLWF === 'Y';
  return updates;
}

const counts = [
  ['RQDLV', 'delivered'],
  ['RQRTN', 'returned'],
  ['RQPAL', 'delivered_pallets'],
] as const;

function lineDifferences(
  type: 'P' | 'C',
  held: readonly LineRow[] = [],
  host: readonly LineRow[],
  untold: string[],
): LineUpdate[] {
  const before = new Map(held.map((row) => [lineOf(row), row]));
  const now = host.filter(({ RQTYP }) => RQTYP === type);
  return now.flatMap((row) => {
    const was = before.get(lineOf(row));
    const updates: {
      delivered?: number;
      returned?: number;
      delivered_pallets?: number;
      accounting_complete?: boolean;
    } = {};
    for (const [column, field] of counts)
      if (row[column] !== (was?.[column] ?? '0')) updates[field] = Number(row[column]);
    if (row.RQACCF !== (was?.RQACCF ?? '') && row.RQACCF !== '') updates.accounting_complete = row.RQACCF === 'Y';
    const acted = row.RQACTD !== (was?.RQACTD ?? '0') ? { action: { updates: { delivered: Number(row.RQACTD) } } } : {};
    if (Object.keys(updates).length === 0 && Object.keys(acted).length === 0) return [];
    if (Number(row.RQLIN) > 1) {
      // An update names a line by item and invoice; the n-th of equal lines has no name of its own.
      untold.push(`RTPRUP line ${row.RQLIN} of ${row.RQITM}`);
      return [];
    }
    return [{ id: row.RQITM, invoice: row.RQINV, updates, ...acted }];
  });
}

/** Files whose rows the office may not rewrite in the driver's name: only that they differ is told. */
function rowDifferences(file: string, held: readonly object[] = [], host: readonly object[]): string[] {
  const known = new Set(held.map(textOf));
  return host.some((row) => !known.has(textOf(row))) ? [file] : [];
}

const lineOf = ({ RQTYP, RQINV, RQITM, RQLIN }: LineRow): string => [RQTYP, RQINV, RQITM, RQLIN].join('\t');
/** As the host's DDL fills a column. */
const isBlank = (value: string): boolean => /^(0(\.0+)?)?$/.test(value);

function textOf(row: object): string {
  const entries = Object.entries(row).filter(([column]) => !/RPSQ$|TRC$/.test(column));
  return JSON.stringify(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
