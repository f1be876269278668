import type { LineKind } from '@tailgate/sync-protocol';
import { atPlaces, hostText, lineKey, lineKinds } from '@tailgate/sync-protocol';
import type { First } from '../gate.ts';
import type { ParkedRow } from './parked-list.ts';
import type { StopLine } from './stop-lines.ts';

/** A value of the rows that the host refuses, which an edit of the office can correct. */
export interface RepairField {
  /** Names the field within its entry. */
  readonly id: string;
  readonly column: Column;
  /** The line of the stop; absent for a field of the stop itself. */
  readonly line?: Line;
  readonly value: string;
}

interface Line {
  readonly kind: LineKind;
  readonly item: string;
  readonly invoice: string;
  /** 0 for the first line of its kind, item and invoice. */
  readonly n: number;
}

/** Columns that a field of the contract writes, with the host's bounds; a test compares them with the host's files. */
export const columns = {
  RQDLV: { of: 'line', field: 'delivered', digits: 7 },
  RQRTN: { of: 'line', field: 'returned', digits: 7 },
  RQPAL: { of: 'line', field: 'delivered_pallets', digits: 7 },
  RUSNAM: { of: 'stop', field: 'store_emp_name', characters: 40 },
  RUSEMP: { of: 'stop', field: 'store_emp_id', characters: 10 },
  RUCMT: { of: 'stop', field: 'driver_comments', characters: 256 },
  RUSKCM: { of: 'stop', field: 'skip_refuse_driver_comment', characters: 256 },
} as const;
export type Column = keyof typeof columns;

const lineColumns = ['RQDLV', 'RQRTN', 'RQPAL'] as const;
const stopColumns = ['RUSNAM', 'RUSEMP', 'RUCMT', 'RUSKCM'] as const;

type Row = Readonly<Record<string, string>>;

/** The rows by file, as the entry has them; none where its payload is blank or of another form. */
function rowsOf(payload: string): Readonly<Record<string, readonly Row[]>> {
  const read = parsed(payload);
  if (!(read instanceof Object)) return {};
  return Object.fromEntries(
    Object.entries(read).map(([file, rows]) => [file, Array.isArray(rows) ? rows.flatMap(rowOf) : []]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const rowOf = (row: unknown): Row[] =>
  row instanceof Object
    ? [Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')]))]
    : [];

/** The fields that an operator can correct, in the order of the host's rows: each line, then the stop itself. */
export function fieldsOf(payload: string): RepairField[] {
  const { RTPRUP: lines = [], RTSTUP: stops = [] } = rowsOf(payload);
  const ofLines = lines.flatMap((row) => {
    const line = lineOf(row);
    return lineColumns.flatMap((column) => {
      const value = row[column] ?? '';
      const id = `${nameOf(line)} ${column}`;
      // Returns and pallets that nobody counted are no fields to correct.
      return column === 'RQDLV' || Number(value) !== 0 ? [{ id, column, line, value }] : [];
    });
  });
  const ofStop = stops.flatMap((row) =>
    stopColumns.map((column) => ({ id: column, column, value: row[column] ?? '' })),
  );
  return [...ofLines, ...ofStop];
}

const lineOf = (row: Row): Line => ({
  kind: row['RQTYP'] === 'C' ? 'collections' : 'products',
  item: row['RQITM'] ?? '',
  invoice: row['RQINV'] ?? '',
  n: Math.max(1, Number(row['RQLIN'] ?? 1)) - 1,
});

const nameOf = ({ kind, item, invoice, n }: Line): string => `${kind} ${lineKey(item, invoice, n)}`;

/** Whether the host's column can hold a text, and how much of it is used. */
export interface Room {
  readonly used: number;
  readonly most: number;
  readonly unit: 'digits' | 'characters';
  readonly fits: boolean;
  /** Where a count is no whole number. */
  readonly isNumber: boolean;
  /** The green screen's text where that differs. */
  readonly hostReads: string | undefined;
}

export function roomOf(column: Column, text: string): Room {
  const bound = columns[column];
  if ('digits' in bound) {
    const isNumber = /^\d+$/.test(text.trim());
    const used = text.trim().replace(/^0+(?=\d)/, '').length;
    const fits = isNumber && used <= bound.digits;
    return { used, most: bound.digits, unit: 'digits', fits, isNumber, hostReads: undefined };
  }
  const host = hostText(text, bound.characters);
  return {
    used: text.length,
    most: bound.characters,
    unit: 'characters',
    fits: text.length <= bound.characters,
    isNumber: true,
    hostReads: host.altered ? host.text : undefined,
  };
}

/** The beginning of a value that fits, and the characters too many. */
export function overOf({ column, value }: RepairField): readonly [fitting: string, over: string] {
  const { most } = roomOf(column, value);
  return [value.slice(0, most), value.slice(most)];
}

/** Shorter values are in too many sentences by chance. */
const leastQuoted = 3;

/** The fields that the host's own words name, or that cannot fit its columns. */
export function refusedOf(fields: readonly RepairField[], reason: string): RepairField[] {
  return fields.filter(
    ({ column, value }) =>
      !roomOf(column, value).fits || reason.includes(column) || (value.length >= leastQuoted && reason.includes(value)),
  );
}

export interface Difference {
  readonly field: RepairField;
  readonly after: string;
}

/** The line of the stop that a field belongs to. */
export const plannedLine = (lines: readonly StopLine[], { line }: RepairField): StopLine | undefined =>
  line &&
  lines.find(
    ({ kind, id, invoice, n }) =>
      `${kind}s` === line.kind && id === line.item && invoice === line.invoice && n === line.n,
  );

/** The typed values that differ from the present ones. */
export const differencesOf = (fields: readonly RepairField[], typed: Readonly<Record<string, string>>): Difference[] =>
  fields.flatMap((field) => {
    const after = typed[field.id]?.trim();
    return after === undefined || after === field.value.trim() ? [] : [{ field, after }];
  });

/** The stop of the repair's body: only what differs. */
export function repairOf(stop: number, differences: readonly Difference[]) {
  const updates: Record<string, string> = {};
  const lines = new Map<string, { readonly of: Line; readonly updates: Record<string, number> }>();
  for (const { field, after } of differences) {
    const column = columns[field.column];
    if (column.of === 'stop') updates[column.field] = after;
    else if (field.line) {
      const known = lines.get(nameOf(field.line)) ?? { of: field.line, updates: {} };
      known.updates[column.field] = Number(after);
      lines.set(nameOf(field.line), known);
    }
  }
  const linesOf = (kind: LineKind) =>
    atPlaces(
      [...lines.values()]
        .filter(({ of }) => of.kind === kind)
        .map(({ of: { item, invoice, n }, updates: counts }) => ({ n, line: { id: item, invoice, updates: counts } })),
    );
  const changed = lineKinds.map((kind) => [kind, linesOf(kind)] as const).filter(([, found]) => found.length > 0);
  return {
    id: stop,
    ...Object.fromEntries(changed),
    ...(Object.keys(updates).length > 0 && { updates }),
  };
}

/** Whether the host has refused a repair, too: the refused entry then has a later version than at the sending. */
export const isRefusedAgain = (row: Pick<ParkedRow, 'version'>, sentVersion: number | undefined): boolean =>
  sentVersion !== undefined && row.version > sentVersion;

/** The skip of a row: the decision that its page shows. */
export const skipOf = ({ skipped_by: by, skipped_at: at }: ParkedRow): First | undefined =>
  by === null || at === null ? undefined : { by, at, act: 'skipParked' };
