import type { RouteKey, StopObject, StopResult, StopStatus, StopUpdates } from '@tailgate/sync-protocol';
import { stopObject, stopStatus, stopUpdates, warehouseStop } from '@tailgate/sync-protocol';
import type { ServicePart } from '../host/files/tables.ts';
import { countFields, momentFields, placeFields, textFields } from './column-fields.ts';
import { arrivalTime } from './event-time.ts';
import { amendExceptions } from './exception-amendments.ts';
import type { StopOnHost, StopRows } from './host-stop.ts';
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

/** A stop in the mirror, its rows as the host last confirmed them, and its rows on the host now. */
export interface StopComparison {
  readonly key: RouteKey;
  readonly stop: number;
  readonly result: StopResult;
  /** The shadow; undefined where the service has never written this stop. */
  readonly shadow: StopRows | undefined;
  /** As read from the host. */
  readonly hostStop: StopOnHost;
  /** The planner has created the row in RTSTPP anew. Its pending status then reports no delivery. */
  readonly isReinserted?: boolean;
  /** `result` is of the confirmed rows alone: each list that differs there becomes that of the host, in its order. */
  readonly isWhole?: boolean;
}

/**
 * Reads foreign changes of a stop's service-owned columns: the difference between the last confirmed rows and the
 * host's present rows, as a change of the mirror's present state.
 */
export function amendmentOf({ key, stop, result, ...rows }: StopComparison, instantOf: InstantOf): Amendment {
  const { shadow, isReinserted = false, isWhole = false } = rows;
  const host = rows.hostStop.rows;
  const unmapped: string[] = [];
  const lines = new LineAmendments();
  const first = amendLines(shadow?.RTPRUP ?? [], host.RTPRUP, lines, unmapped);
  const photos = amendPhotos(result, { shadow: shadow?.RTIMGP ?? [], host: host.RTIMGP, first }, lines, unmapped);
  const { credited } = rows.hostStop;
  const exceptions = { shadow: shadow?.RTOSDP ?? [], host: host.RTOSDP, credited, photos, isWhole };
  const overage = amendExceptions({ key, stop, result, sequence: '0' }, exceptions, lines, unmapped);
  const emails = amendedEmails(result, shadow?.RTEMLP ?? [], host.RTEMLP, unmapped);
  const updates: StopUpdates = {
    ...resultDifference(result, shadow?.RTSTUP[0], host.RTSTUP[0], { instantOf, unmapped }),
    ...(isReinserted ? {} : statusDifference(stop, shadow, host, unmapped)),
    ...(overage ? expressible({ overage_items: overage }, 'RTOSDP', unmapped) : {}),
    ...(emails ? expressible({ osd_emails: emails }, 'RTEMLP', unmapped) : {}),
  };
  const products = lines.linesOf('products', unmapped);
  const collections = lines.linesOf('collections', unmapped);
  const arrived = !isReinserted && arrivedNow(shadow, host, unmapped);
  const amendment = {
    id: stop,
    ...(arrived ? { arrived } : {}),
    ...(Object.keys(updates).length > 0 ? { updates } : {}),
    ...(products.length > 0 ? { products } : {}),
    ...(collections.length > 0 ? { collections } : {}),
  };
  if (Object.keys(amendment).length === 1) return { update: undefined, unmapped };
  const parsed = stopObject.safeParse(amendment);
  return parsed.success ? { update: parsed.data, unmapped } : { update: undefined, unmapped: [...unmapped, 'RTSTUP'] };
}

/** Keeps the fields that a stop object can express. An invalid column does not block the rest of an edit. */
function expressible(updates: StopUpdates, column: string, unmapped: string[]): StopUpdates {
  const parsed = stopUpdates.safeParse(updates);
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
  shadow: StopRows | undefined,
  host: StopRows,
  unmapped: string[],
): Pick<StopUpdates, 'status'> {
  const planned = shadow?.RTSTPP[0]?.RSSTS || 'P';
  const recorded = shadow?.RTSTUP[0]?.RUSTS || planned;
  const now = host.RTSTPP[0]?.RSSTS || 'P';
  const [result] = host.RTSTUP;
  // A new or deleted row has no status.
  const recordedNow =
    result === undefined || (!shadow?.RTSTUP[0]?.RUSTS && result.RUSTS === '') ? recorded : result.RUSTS;
  const isChanged = { RTSTPP: now !== planned, RTSTUP: recordedNow !== recorded };
  const status = isChanged.RTSTPP ? statusOf(stop, now) : undefined;
  if (isChanged.RTSTPP && !status) unmapped.push('RTSTPP.RSSTS');
  const other = isChanged.RTSTUP ? statusOf(stop, recordedNow) : undefined;
  const isOverruled = status !== undefined && other !== undefined && other !== status;
  if ((isChanged.RTSTUP && !other) || isOverruled) unmapped.push('RTSTUP.RUSTS');
  const edited = status ?? other;
  return edited ? { status: edited } : {};
}

function statusOf(stop: number, text: string): StopStatus | undefined {
  const status = stopStatus.safeParse(text).data;
  return status === 'C' && stop !== warehouseStop ? undefined : status;
}

/** Nothing takes an arrival back (contract §4). Only Y and N have a meaning; a new plan row has a blank. */
function arrivedNow(shadow: StopRows | undefined, host: StopRows, unmapped: string[]): boolean {
  const before = shadow?.RTSTPP[0]?.RSARVF ?? '';
  const now = host.RTSTPP[0]?.RSARVF ?? '';
  if (now === before) return false;
  if (before === 'Y' || !['', 'N', 'Y'].includes(now)) unmapped.push('RTSTPP.RSARVF');
  return now === 'Y';
}

function resultDifference(
  result: StopResult,
  shadow: ResultRow | undefined,
  host: ResultRow | undefined,
  { instantOf, unmapped }: { readonly instantOf: InstantOf; readonly unmapped: string[] },
): StopUpdates {
  if (host === undefined) {
    // No correct program deletes rows of the service.
    if (shadow !== undefined) unmapped.push('RTSTUP');
    return {};
  }
  const differs = (column: keyof ResultRow): boolean =>
    shadow === undefined ? !isBlank(host[column]) : host[column] !== shadow[column];
  const updates: StopUpdates = {};
  const amend = (column: keyof ResultRow, change: StopUpdates) =>
    Object.assign(updates, expressible(change, `RTSTUP.${column}`, unmapped));
  for (const [column, field] of textFields) {
    if (!differs(column)) continue;
    // A signature is evidence: a blank does not remove it.
    if (column === 'RUSIG' && host.RUSIG === '') unmapped.push('RTSTUP.RUSIG');
    else amend(column, { [field]: host[column] || null });
  }
  const moved = momentFields.filter(([date, time]) => differs(date) || differs(time));
  for (const [date, time, field] of moved) {
    const instant = instantOf({ date: host[date], time: host[time] });
    if (instant === undefined) unmapped.push(`RTSTUP.${date}`);
    else amend(date, { [field]: instant?.toISOString() ?? null });
  }
  // The event time follows from the other columns and has no field.
  if (shadow !== undefined && differs('RUUTC') && moved.length === 0) unmapped.push('RTSTUP.RUUTC');
  // Neither has the arrival: it is the time of the record, which a worker of the release before leaves out.
  if (shadow !== undefined && (differs('RUARDT') || differs('RUARTM')) && !isArrivalOf(result, host, instantOf))
    unmapped.push('RTSTUP.RUARDT');
  for (const [column, field] of placeFields)
    if (differs(column)) amend(column, { [field]: Number(host[column]) === 0 ? null : host[column] });
  // The host's own programs write a blank: only Y and N have a meaning.
  if (differs('RUFLWF')) {
    if (isFlag(host.RUFLWF)) updates.followup = host.RUFLWF === 'Y';
    else unmapped.push('RTSTUP.RUFLWF');
  }
  return updates;
}

function isArrivalOf(result: StopResult, { RUARDT, RUARTM }: ResultRow, instantOf: InstantOf): boolean {
  const [recorded, found] = [arrivalTime(result), instantOf({ date: RUARDT, time: RUARTM })];
  if (!(recorded instanceof Date) || !found) return false;
  return Math.floor(recorded.getTime() / 1_000) === Math.floor(found.getTime() / 1_000);
}

const isFlag = (value: string): boolean => value === 'Y' || value === 'N';

/** @returns the lines with another first photo */
function amendLines(
  shadow: readonly LineRow[],
  host: readonly LineRow[],
  lines: LineAmendments,
  unmapped: string[],
): { line: LineName; asset: string }[] {
  const before = new Map(shadow.map((row) => [nameOf(row), row]));
  const there = new Set(host.map(nameOf));
  // Clean-ups delete rows, so a missing row does not revoke a count.
  if (shadow.some((row) => !there.has(nameOf(row)))) unmapped.push('RTPRUP');
  return host.flatMap((row) => {
    const was = before.get(nameOf(row));
    const line = lineOf(row);
    if (!line) {
      if (!was) unmapped.push(`RTPRUP line ${row.RQLIN} of ${row.RQITM}`);
      return [];
    }
    const report = (column: keyof LineRow) => unmapped.push(`RTPRUP.${column} line ${row.RQLIN} of ${row.RQITM}`);
    for (const [column, field] of countFields) {
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
  shadow: readonly EmailRow[],
  host: readonly EmailRow[],
  unmapped: string[],
): string[] | undefined {
  const before = new Map(shadow.map((row) => [row.REMSEQ, row.REMADR]));
  const there = new Set(host.map(({ REMSEQ }) => REMSEQ));
  if (shadow.some(({ REMSEQ, REMADR }) => REMADR !== '' && !there.has(REMSEQ))) unmapped.push('RTEMLP');
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
