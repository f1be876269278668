import { officeSource, restoredAuthor, valueAt, writerOf, type StopResult } from '@tailgate/sync-protocol';
import { hostFile } from '../../host/files/tables.ts';
import { fieldPath } from '../../stops/column-fields.ts';
import { stopFiles, type ForeignChange, type StopRows } from '../../stops/host-stop.ts';
import { hostRowName } from './edits-by-author.ts';
import type { LogAuthor, LogEntry } from './replication-log.ts';

// The lines of PODRPLP about one write of a stop: who changed which value.

type Row = { readonly [column: string]: string };

/** A change of the ledger that the write brings. */
export interface WrittenChange {
  /** `sync`, `rest`, `office` or `timer`. */
  readonly source: string;
  readonly employee: string;
}

/** A value that differs between two states of a stop on the host. */
interface ColumnChange {
  readonly file: LogEntry['file'];
  readonly row: Row;
  readonly column: string;
  readonly before: string;
  readonly after: string;
}

export interface StopWrite {
  readonly result: StopResult;
  readonly before: StopRows | undefined;
  readonly after: StopRows;
  /** The oldest first. */
  readonly changes: readonly WrittenChange[];
  /** Users of the host whose edits came in since the last write. */
  readonly clerks: readonly string[];
}

type LinePlace = Pick<LogEntry, 'sequence' | 'zone'>;

/** Numbers and traces of the service's own writes. */
const numbers: ReadonlySet<string> = new Set(['RURPSQ', 'RUTRC', 'RQRPSQ', 'OSRPSQ']);
/** Columns that follow from others, or that only the service has a use for. */
const derived: ReadonlySet<string> = new Set([
  ...numbers,
  ...['OSREV', 'RUUTC', 'RUCMTL', 'OSTXTL', 'OSGRP', 'OSENT', 'RUSTS', 'RSSTS'],
]);

/** The status of the stop, for its own line. */
export function statusChange({ before, after }: Pick<StopWrite, 'before' | 'after'>): LogEntry['change'] {
  const [was, is] = [before?.RTSTUP[0]?.RUSTS ?? '', after.RTSTUP[0]?.RUSTS ?? ''];
  return was === is ? undefined : { column: 'RUSTS', before: was, after: is };
}

/**
 * Each value that the host had and that the write replaces, with its author. A value in place of a blank is no
 * correction: the row itself shows it.
 */
export function replacedValues(write: StopWrite, line: LinePlace): LogEntry[] {
  const { before, after } = write;
  if (!before?.RTSTUP[0]) return [];
  return columnChanges(before, after)
    .filter((change) => !derived.has(change.column) && !isInitial(change.before))
    .map((change) => ({ ...lineOf(change), ...line, author: authorOfColumn(write, change), outcome: { status: 'A' } }));
}

/** Edits of other programs, which the import has taken over. */
export function foreignLines(foreign: readonly ForeignChange[] = [], line: LinePlace): LogEntry[] {
  return foreign.map(({ file, key, column, before, after, user, at }) => ({
    ...{ file, key, at: new Date(at), author: { who: 'C', user } },
    ...{ ...line, change: { column, before, after }, outcome: { status: 'A' } },
  }));
}

/** The edits of another program, for the next write's lines. At most so many: a program may have replaced a whole stop. */
export function foreignChanges(before: StopRows | undefined, after: StopRows): Omit<ForeignChange, 'user' | 'at'>[] {
  return columnChanges(before, after)
    .filter(({ column, before: was, after: is }) => !numbers.has(column) && !(isBlank(was) && isBlank(is)))
    .slice(0, FOREIGN_CHANGES)
    .map((change) => {
      const { file, key } = lineOf(change);
      return { file, key, column: change.column, before: change.before, after: change.after };
    });
}
const FOREIGN_CHANGES = 200;

/** The author of the write's latest change; undefined for a timer, and for what a restored server read back. */
export function authorOfWrite({ changes, clerks }: Pick<StopWrite, 'changes' | 'clerks'>): LogAuthor | undefined {
  const last = changes.at(-1);
  return last && authorNamed(last.source, last.employee, clerks);
}

function authorOfColumn(write: StopWrite, { column, row }: ColumnChange): LogAuthor | undefined {
  const { result, changes, clerks } = write;
  const isOfOne = new Set(changes.map(({ source, employee }) => `${source} ${employee}`)).size === 1;
  const path = isOfOne ? undefined : fieldPath(column, row);
  const stamp = path !== undefined && valueAt(result, path) !== undefined ? writerOf(result, path) : undefined;
  return stamp ? authorNamed(stamp.client, stamp.by, clerks) : authorOfWrite(write);
}

function authorNamed(source: string, name: string, clerks: readonly string[]): LogAuthor | undefined {
  if (name === '' || name === restoredAuthor || source === 'timer') return undefined;
  if (source !== officeSource) return { who: 'D', user: name };
  return { who: clerks.includes(name) ? 'C' : 'O', user: name };
}

function columnChanges(before: StopRows | undefined, after: StopRows): ColumnChange[] {
  return stopFiles.flatMap((file) => {
    const was = new Map<string, Row>((before?.[file] ?? []).map((row) => [hostRowName(file, row), row]));
    const columns = Object.keys(hostFile(file).service);
    const changes = after[file].flatMap((row: Row) => {
      const name = hostRowName(file, row);
      const former = was.get(name);
      was.delete(name);
      return former === row ? [] : changesOfRow(file, columns, former, row);
    });
    return [...changes, ...[...was.values()].flatMap((row) => changesOfRow(file, columns, row, undefined))];
  });
}

function changesOfRow(
  file: LogEntry['file'],
  columns: readonly string[],
  former: Row | undefined,
  row: Row | undefined,
): ColumnChange[] {
  return columns
    .map((column) => ({ column, before: former?.[column] ?? '', after: row?.[column] ?? '' }))
    .filter(({ before, after }) => before !== after)
    .map((change) => ({ file, row: row ?? former ?? {}, ...change }));
}

function lineOf({
  file,
  row,
  column,
  before,
  after,
}: ColumnChange): Required<Pick<LogEntry, 'file' | 'key' | 'change'>> {
  const key = Object.keys(hostFile(file).key).map((name) => row[name] ?? '');
  return { file, key, change: { column, before, after } };
}

const isBlank = (value: string): boolean => /^(0(\.0+)?)?$/.test(value);
/** Blank, zero, or a flag that was never set. */
const isInitial = (value: string): boolean => isBlank(value) || value === 'N';
