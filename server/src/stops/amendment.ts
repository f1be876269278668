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

/** Turns a host-local date and time into an instant; null for zeros, undefined for what no calendar or clock shows. */
export type InstantOf = (moment: { date: string; time: string }) => Date | null | undefined;

export type Amendment = {
  /** What the office changed, as the stop object that says so; undefined where nothing of it can be said. */
  update: StopObject | undefined;
  /** Files and columns where something differs that no field can say, `RTSTUP.RUSIG`: a person has to look. */
  untold: readonly string[];
};

/** A stop as the mirror has it, as the host was last confirmed to hold it, and as the host holds it now. */
export interface AmendedStop {
  readonly key: RouteKey;
  readonly stop: number;
  readonly result: StopResult;
  /** The shadow; undefined where the service has never written this stop. */
  readonly held: StopRows | undefined;
  readonly found: HeldStop;
  /** The row in RTSTPP was laid anew by whoever plans: that it is pending is nobody's word on the delivery. */
  readonly isLaidAnew?: boolean;
}

/**
 * What somebody else has written into the service's columns of a stop: the difference between what we were last
 * confirmed to have written and what the host holds, laid over what the mirror has now.
 */
export function amendmentOf({ key, stop, result, ...rows }: AmendedStop, instantOf: InstantOf): Amendment {
  const { held, isLaidAnew = false } = rows;
  const host = rows.found.rows;
  const untold: string[] = [];
  const lines = new LineAmendments();
  const first = amendLines(held?.RTPRUP ?? [], host.RTPRUP, lines, untold);
  const photos = amendPhotos(result, { held: held?.RTIMGP ?? [], host: host.RTIMGP, first }, lines, untold);
  const { credited } = rows.found;
  const exceptions = { held: held?.RTOSDP ?? [], host: host.RTOSDP, credited, photos };
  const overage = amendExceptions({ key, stop, result, sequence: '0' }, exceptions, lines, untold);
  const emails = amendedEmails(result, held?.RTEMLP ?? [], host.RTEMLP, untold);
  const updates: StopUpdates = {
    ...resultDifference(held?.RTSTUP[0], host.RTSTUP[0], instantOf, untold),
    ...(isLaidAnew ? {} : statusDifference(stop, held, host, untold)),
    ...(overage ? sayable({ overage_items: overage }, 'RTOSDP', untold) : {}),
    ...(emails ? sayable({ osd_emails: emails }, 'RTEMLP', untold) : {}),
  };
  const products = lines.said('products', untold);
  const collections = lines.said('collections', untold);
  const arrived = !isLaidAnew && arrivedNow(held, host, untold);
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

/** What of this a stop object can say. One impossible column takes nothing else of an edit along. */
function sayable(said: StopUpdates, column: string, untold: string[]): StopUpdates {
  const parsed = stopUpdates.safeParse(said);
  if (parsed.success) return parsed.data;
  untold.push(column);
  return {};
}

/**
 * The status stands in two files; the one that differs from what stood there is the one that was changed. Until we have
 * written it into both, after an edit of one of them, they differ from each other. Of two changes that of RTSTPP counts.
 */
function statusDifference(
  stop: number,
  held: StopRows | undefined,
  host: StopRows,
  untold: string[],
): Pick<StopUpdates, 'status'> {
  const planned = held?.RTSTPP[0]?.RSSTS || 'P';
  const recorded = held?.RTSTUP[0]?.RUSTS || planned;
  const now = host.RTSTPP[0]?.RSSTS || 'P';
  const [result] = host.RTSTUP;
  // A row that is new, or gone, has no status yet.
  const recordedNow =
    result === undefined || (!held?.RTSTUP[0]?.RUSTS && result.RUSTS === '') ? recorded : result.RUSTS;
  const isChanged = { RTSTPP: now !== planned, RTSTUP: recordedNow !== recorded };
  const status = isChanged.RTSTPP ? statusOf(stop, now) : undefined;
  if (isChanged.RTSTPP && !status) untold.push('RTSTPP.RSSTS');
  const other = isChanged.RTSTUP ? statusOf(stop, recordedNow) : undefined;
  const isOverruled = status !== undefined && other !== undefined && other !== status;
  if ((isChanged.RTSTUP && !other) || isOverruled) untold.push('RTSTUP.RUSTS');
  const said = status ?? other;
  return said ? { status: said } : {};
}

function statusOf(stop: number, text: string): StopStatus | undefined {
  const status = stopStatus.safeParse(text).data;
  return status === 'C' && stop !== warehouseStop ? undefined : status;
}

/** An arrival is not taken back (contract §4), and only Y and N say something; blank is how a plan lays a row. */
function arrivedNow(held: StopRows | undefined, host: StopRows, untold: string[]): boolean {
  const before = held?.RTSTPP[0]?.RSARVF ?? '';
  const now = host.RTSTPP[0]?.RSARVF ?? '';
  if (now === before) return false;
  if (before === 'Y' || !['', 'N', 'Y'].includes(now)) untold.push('RTSTPP.RSARVF');
  return now === 'Y';
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
  const say = (column: keyof ResultRow, said: StopUpdates) =>
    Object.assign(updates, sayable(said, `RTSTUP.${column}`, untold));
  for (const [column, field] of texts) {
    if (!differs(column)) continue;
    // A signature is evidence: a blank does not take it away.
    if (column === 'RUSIG' && host.RUSIG === '') untold.push('RTSTUP.RUSIG');
    else say(column, { [field]: host[column] || null });
  }
  const moved = moments.filter(([date, time]) => differs(date) || differs(time));
  for (const [date, time, field] of moved) {
    const instant = instantOf({ date: host[date], time: host[time] });
    if (instant === undefined) untold.push(`RTSTUP.${date}`);
    else say(date, { [field]: instant?.toISOString() ?? null });
  }
  // The event's time follows from the others and has no field.
  if (held !== undefined && differs('RUUTC') && moved.length === 0) untold.push('RTSTUP.RUUTC');
  for (const [column, field] of places)
    if (differs(column)) say(column, { [field]: Number(host[column]) === 0 ? null : host[column] });
  // Blank is how the host's own programs lay a row: only Y and N say something.
  if (differs('RUFLWF')) {
    if (isFlag(host.RUFLWF)) updates.followup = host.RUFLWF === 'Y';
    else untold.push('RTSTUP.RUFLWF');
  }
  return updates;
}

const isFlag = (value: string): boolean => value === 'Y' || value === 'N';

const counts = [
  ['RQDLV', 'delivered'],
  ['RQRTN', 'returned'],
  ['RQPAL', 'delivered_pallets'],
] as const;

/** @returns the lines whose first photo is another one now */
function amendLines(
  held: readonly LineRow[],
  host: readonly LineRow[],
  lines: LineAmendments,
  untold: string[],
): { line: LineName; asset: string }[] {
  const before = new Map(held.map((row) => [nameOf(row), row]));
  const there = new Set(host.map(nameOf));
  // Rows vanish in clean-ups: nobody takes a count back by that.
  if (held.some((row) => !there.has(nameOf(row)))) untold.push('RTPRUP');
  return host.flatMap((row) => {
    const was = before.get(nameOf(row));
    const line = lineOf(row);
    if (!line) {
      if (!was) untold.push(`RTPRUP line ${row.RQLIN} of ${row.RQITM}`);
      return [];
    }
    const report = (column: keyof LineRow) => untold.push(`RTPRUP.${column} line ${row.RQLIN} of ${row.RQITM}`);
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

/** Undefined for a row that can stand for no line. */
function lineOf({ RQTYP, RQITM, RQINV, RQLIN }: LineRow): LineName | undefined {
  if ((RQTYP !== 'P' && RQTYP !== 'C') || RQITM === '' || Number(RQLIN) < 1) return undefined;
  return { kind: RQTYP === 'P' ? 'products' : 'collections', id: RQITM, invoice: RQINV, n: Number(RQLIN) - 1 };
}

/** The addresses as the office has them now, laid over the mirror's; undefined where they are the same. */
function amendedEmails(
  { updates }: StopResult,
  held: readonly EmailRow[],
  host: readonly EmailRow[],
  untold: string[],
): string[] | undefined {
  const before = new Map(held.map((row) => [row.REMSEQ, row.REMADR]));
  const there = new Set(host.map(({ REMSEQ }) => REMSEQ));
  if (held.some(({ REMSEQ, REMADR }) => REMADR !== '' && !there.has(REMSEQ))) untold.push('RTEMLP');
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
/** As the host's DDL fills a column. */
const isBlank = (value: string): boolean => /^(0(\.0+)?)?$/.test(value);
