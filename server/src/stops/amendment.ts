import type { RouteKey, StopObject, StopResult, StopStatus, StopUpdates } from '@tailgate/sync-protocol';
import { stopObject, stopStatus, stopUpdates, warehouseStop } from '@tailgate/sync-protocol';
import type { ServicePart } from '../host/files/tables.ts';
import { amendExceptions } from './exception-amendments.ts';
import type { HeldStop, StopRows } from './host-stop.ts';
import { LineAmendments, type LineName } from './line-amendments.ts';
import { amendPhotos } from './photo-amendments.ts';

type ResultRow = ServicePart<'RTSTUP'>;
type LineRow = ServicePart<'RTPRUP'>;
type EmailRow = ServicePart<'RTEMLP'>;

/** Converts a host-local date and time to an instant; null for zeros, undefined for an impossible date or time. */
export type InstantOf = (moment: { date: string; time: string }) => Date | null | undefined;

export type Amendment = {
  /** The office's changes as a stop object; undefined where it would be empty. */
  update: StopObject | undefined;
  /**
   * Files and columns with changes that no field can express, such as `RTSTUP.RUSIG`. An operator has to look at them.
   */
  unmapped: readonly string[];
};

/** A stop in the mirror, as the host last confirmed it, and as the host has it now. */
export interface AmendedStop {
  readonly key: RouteKey;
  readonly stop: number;
  readonly result: StopResult;
  /** The shadow; undefined where the service has never written this stop. */
  readonly held: StopRows | undefined;
  readonly found: HeldStop;
  /** The planner has created the row in RTSTPP anew. Its pending status then reports no delivery. */
  readonly isLaidAnew?: boolean;
}

/**
 * Reads foreign changes of a stop's service-owned columns: the difference between the last confirmed rows and the
 * host's present rows, as a change of the mirror's present state.
 */
export function amendmentOf({ key, stop, result, ...rows }: AmendedStop, instantOf: InstantOf): Amendment {
  const { held, isLaidAnew = false } = rows;
  const host = rows.found.rows;
  const unmapped: string[] = [];
  const lines = new LineAmendments();
  const first = amendLines(held?.RTPRUP ?? [], host.RTPRUP, lines, unmapped);
  const photos = amendPhotos(result, { held: held?.RTIMGP ?? [], host: host.RTIMGP, first }, lines, unmapped);
  const { credited } = rows.found;
  const exceptions = { held: held?.RTOSDP ?? [], host: host.RTOSDP, credited, photos };
  const overage = amendExceptions({ key, stop, result, sequence: '0' }, exceptions, lines, unmapped);
  const emails = amendedEmails(result, held?.RTEMLP ?? [], host.RTEMLP, unmapped);
  const updates: StopUpdates = {
    ...resultDifference(held?.RTSTUP[0], host.RTSTUP[0], instantOf, unmapped),
    ...(isLaidAnew ? {} : statusDifference(stop, held, host, unmapped)),
    ...(overage ? sayable({ overage_items: overage }, 'RTOSDP', unmapped) : {}),
    ...(emails ? sayable({ osd_emails: emails }, 'RTEMLP', unmapped) : {}),
  };
  const products = lines.said('products', unmapped);
  const collections = lines.said('collections', unmapped);
  const arrived = !isLaidAnew && arrivedNow(held, host, unmapped);
  const said = {
    id: stop,
    ...(arrived ? { arrived } : {}),
    ...(Object.keys(updates).length > 0 ? { updates } : {}),
    ...(products.length > 0 ? { products } : {}),
    ...(collections.length > 0 ? { collections } : {}),
  };
  if (Object.keys(said).length === 1) return { update: undefined, unmapped };
  const parsed = stopObject.safeParse(said);
  return parsed.success ? { update: parsed.data, unmapped } : { update: undefined, unmapped: [...unmapped, 'RTSTUP'] };
}

/** Keeps the fields that a stop object can express. An invalid column does not block the rest of an edit. */
function sayable(said: StopUpdates, column: string, unmapped: string[]): StopUpdates {
  const parsed = stopUpdates.safeParse(said);
  if (parsed.success) return parsed.data;
  unmapped.push(column);
  return {};
}

/**
 * Two files contain the status. The file that differs from its confirmed row is the edited one. Until the service has
 * written both after an edit, they differ from each other. If both changed, RTSTPP counts.
 */
function statusDifference(
  stop: number,
  held: StopRows | undefined,
  host: StopRows,
  unmapped: string[],
): Pick<StopUpdates, 'status'> {
  const planned = held?.RTSTPP[0]?.RSSTS || 'P';
  const recorded = held?.RTSTUP[0]?.RUSTS || planned;
  const now = host.RTSTPP[0]?.RSSTS || 'P';
  const [result] = host.RTSTUP;
  // A new or deleted row has no status.
  const recordedNow =
    result === undefined || (!held?.RTSTUP[0]?.RUSTS && result.RUSTS === '') ? recorded : result.RUSTS;
  const isChanged = { RTSTPP: now !== planned, RTSTUP: recordedNow !== recorded };
  const status = isChanged.RTSTPP ? statusOf(stop, now) : undefined;
  if (isChanged.RTSTPP && !status) unmapped.push('RTSTPP.RSSTS');
  const other = isChanged.RTSTUP ? statusOf(stop, recordedNow) : undefined;
  const isOverruled = status !== undefined && other !== undefined && other !== status;
  if ((isChanged.RTSTUP && !other) || isOverruled) unmapped.push('RTSTUP.RUSTS');
  const said = status ?? other;
  return said ? { status: said } : {};
}

function statusOf(stop: number, text: string): StopStatus | undefined {
  const status = stopStatus.safeParse(text).data;
  return status === 'C' && stop !== warehouseStop ? undefined : status;
}

/** Nothing takes an arrival back (contract §4). Only Y and N have a meaning; a new plan row has a blank. */
function arrivedNow(held: StopRows | undefined, host: StopRows, unmapped: string[]): boolean {
  const before = held?.RTSTPP[0]?.RSARVF ?? '';
  const now = host.RTSTPP[0]?.RSARVF ?? '';
  if (now === before) return false;
  if (before === 'Y' || !['', 'N', 'Y'].includes(now)) unmapped.push('RTSTPP.RSARVF');
  return now === 'Y';
}

/** Columns with one field each; a blank clears it. */
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
  unmapped: string[],
): StopUpdates {
  if (host === undefined) {
    // No correct program deletes rows of the service.
    if (held !== undefined) unmapped.push('RTSTUP');
    return {};
  }
  const differs = (column: keyof ResultRow): boolean =>
    held === undefined ? !isBlank(host[column]) : host[column] !== held[column];
  const updates: StopUpdates = {};
  const say = (column: keyof ResultRow, said: StopUpdates) =>
    Object.assign(updates, sayable(said, `RTSTUP.${column}`, unmapped));
  for (const [column, field] of texts) {
    if (!differs(column)) continue;
    // A signature is evidence: a blank does not remove it.
    if (column === 'RUSIG' && host.RUSIG === '') unmapped.push('RTSTUP.RUSIG');
    else say(column, { [field]: host[column] || null });
  }
  const moved = moments.filter(([date, time]) => differs(date) || differs(time));
  for (const [date, time, field] of moved) {
    const instant = instantOf({ date: host[date], time: host[time] });
    if (instant === undefined) unmapped.push(`RTSTUP.${date}`);
    else say(date, { [field]: instant?.toISOString() ?? null });
  }
  // The event time follows from the other columns and has no field.
  if (held !== undefined && differs('RUUTC') && moved.length === 0) unmapped.push('RTSTUP.RUUTC');
  for (const [column, field] of places)
    if (differs(column)) say(column, { [field]: Number(host[column]) === 0 ? null : host[column] });
  // The host's own programs write a blank: only Y and N have a meaning.
  if (differs('RUFLWF')) {
    if (isFlag(host.RUFLWF)) updates.followup = host.RUFLWF === 'Y';
    else unmapped.push('RTSTUP.RUFLWF');
  }
  return updates;
}

const isFlag = (value: string): boolean => value === 'Y' || value === 'N';

const counts = [
  ['RQDLV', 'delivered'],
  ['RQRTN', 'returned'],
  ['RQPAL', 'delivered_pallets'],
] as const;

/** @returns the lines with another first photo */
function amendLines(
  held: readonly LineRow[],
  host: readonly LineRow[],
  lines: LineAmendments,
  unmapped: string[],
): { line: LineName; asset: string }[] {
  const before = new Map(held.map((row) => [nameOf(row), row]));
  const there = new Set(host.map(nameOf));
  // Clean-ups delete rows, so a missing row does not revoke a count.
  if (held.some((row) => !there.has(nameOf(row)))) unmapped.push('RTPRUP');
  return host.flatMap((row) => {
    const was = before.get(nameOf(row));
    const line = lineOf(row);
    if (!line) {
      if (!was) unmapped.push(`RTPRUP line ${row.RQLIN} of ${row.RQITM}`);
      return [];
    }
    const report = (column: keyof LineRow) => unmapped.push(`RTPRUP.${column} line ${row.RQLIN} of ${row.RQITM}`);
    for (const [column, field] of counts) {
      if (row[column] === (was?.[column] ?? '0')) continue;
      if (isCount(row[column])) lines.change(line, { [field]: Number(row[column]) });
      else report(column);
    }
    if (row.RQACCF !== (was?.RQACCF ?? '')) {
      if (isFlag(row.RQACCF)) lines.change(line, { accounting_complete: row.RQACCF === 'Y' });
      else report('RQACCF');
    }
    if (row.RQACTD !== (was?.RQACTD ?? '0')) {
      if (isCount(row.RQACTD)) lines.changeAction(line, { delivered: Number(row.RQACTD) });
      else report('RQACTD');
    }
    // Reserved: it has no field.
    if (row.RQOPNF !== (was?.RQOPNF ?? '')) report('RQOPNF');
    return row.RQIMG === (was?.RQIMG ?? '') ? [] : [{ line, asset: row.RQIMG }];
  });
}

const isCount = (value: string): boolean => /^\d+$/.test(value);

/** Undefined for a row that cannot be a line. */
function lineOf({ RQTYP, RQITM, RQINV, RQLIN }: LineRow): LineName | undefined {
  if ((RQTYP !== 'P' && RQTYP !== 'C') || RQITM === '' || Number(RQLIN) < 1) return undefined;
  return { kind: RQTYP === 'P' ? 'products' : 'collections', id: RQITM, invoice: RQINV, n: Number(RQLIN) - 1 };
}

/** The office's present addresses, merged over the mirror's; undefined where they are equal. */
function amendedEmails(
  { updates }: StopResult,
  held: readonly EmailRow[],
  host: readonly EmailRow[],
  unmapped: string[],
): string[] | undefined {
  const before = new Map(held.map((row) => [row.REMSEQ, row.REMADR]));
  const there = new Set(host.map(({ REMSEQ }) => REMSEQ));
  if (held.some(({ REMSEQ, REMADR }) => REMADR !== '' && !there.has(REMSEQ))) unmapped.push('RTEMLP');
  const changed = host.filter(({ REMSEQ, REMADR }) => REMADR !== (before.get(REMSEQ) ?? ''));
  if (changed.length === 0) return undefined;
  const after: (string | undefined)[] = [...(updates?.osd_emails ?? [])];
  for (const { REMSEQ, REMADR } of changed) {
    const place = Number(REMSEQ) - 1;
    if (REMADR === '') after[place] = undefined;
    else if (place >= 0 && place < after.length) after[place] = REMADR;
    else after.push(REMADR);
  }
  return after.filter((address) => address !== undefined);
}

const nameOf = ({ RQTYP, RQINV, RQITM, RQLIN }: LineRow): string => [RQTYP, RQINV, RQITM, RQLIN].join('\t');
/** The default of the column in the host's DDL. */
const isBlank = (value: string): boolean => /^(0(\.0+)?)?$/.test(value);
