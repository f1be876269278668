import { hostFile, type HostFileName } from '../../host/files/tables.ts';
import type { Excuse, Excuses } from './excuses.ts';

type Row = { readonly [column: string]: string };
/** Rows by file, of a stop or of a route. */
export type RowsByFile = { readonly [Name in HostFileName]?: readonly Row[] };

/**
 * `different`: both systems have the row, with other values in this column. `missing there`: the other system lacks the row,
 * `missing here`: the service lacks it; the column is blank then, and the values describe the row.
 */
export type DifferenceKind = 'different' | 'missing there' | 'missing here';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly file: HostFileName;
  readonly column: string;
  /** The part of the row's key below the stop, such as `ITEM1/INV1/1/P`. */
  readonly row: string;
  readonly ours: string;
  readonly theirs: string;
}

export interface Comparison {
  /** Columns with equal values. */
  readonly same: number;
  /** Columns that differ, and that a rule excuses. */
  readonly excused: number;
  readonly differences: readonly Difference[];
}

/**
 * Columns by which rows of two systems belong together, where a number that each system gives is part of the key. Other
 * files use their key.
 */
const pairedBy: { readonly [file: string]: readonly string[] } = {
  RTOSDP: ['OSTYP', 'OSITM', 'OSINV', 'OSBAR', 'OSCOD'],
  RTIMGP: ['RIQTYP', 'RIINV', 'RIITM', 'RILIN'],
  RTEMLP: ['REMADR'],
};

/**
 * Compares what the service would write with what another system has written, column by column. A row with initial values
 * means the same as none.
 */
export function compareSides(ours: RowsByFile, theirs: RowsByFile, excuses: Excuses): Comparison {
  const differences: Difference[] = [];
  let [same, excused] = [0, 0];
  for (const file of filesIn(ours, theirs)) {
    for (const { row, our, their } of pairs(file, ours[file] ?? [], theirs[file] ?? [])) {
      if (our === undefined || their === undefined) {
        const kind = their === undefined ? 'missing there' : 'missing here';
        const values = describe(file, our ?? their ?? {});
        differences.push({ kind, file, column: '', row, ours: our ? values : '', theirs: their ? values : '' });
        continue;
      }
      for (const column of comparedColumns(file)) {
        const [mine, other] = [our[column] ?? '', their[column] ?? ''];
        if (isSame(file, column, mine, other)) same += 1;
        else if (isExcused(excuses.get(column), column, mine, other)) excused += 1;
        else differences.push({ kind: 'different', file, column, row, ours: mine, theirs: other });
      }
    }
  }
  return { same, excused, differences };
}

function filesIn(ours: RowsByFile, theirs: RowsByFile): HostFileName[] {
  const isFile = (name: string): name is HostFileName => Object.hasOwn(ours, name) || Object.hasOwn(theirs, name);
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter(isFile);
}

const comparedColumns = (file: HostFileName): string[] =>
  Object.keys(hostFile(file).service).filter((column) => !pairedBy[file]?.includes(column));

interface Pair {
  readonly row: string;
  readonly our: Row | undefined;
  readonly their: Row | undefined;
}

/** Rows of one name belong together in their order. */
function pairs(file: HostFileName, ours: readonly Row[], theirs: readonly Row[]): Pair[] {
  const [mine, other] = [rowsByName(file, ours), rowsByName(file, theirs)];
  return [...new Set([...mine.keys(), ...other.keys()])].flatMap((row) => {
    const [our = [], their = []] = [mine.get(row), other.get(row)];
    const length = Math.max(our.length, their.length);
    return Array.from({ length }, (_, index) => ({ row, our: our[index], their: their[index] }));
  });
}

function rowsByName(file: HostFileName, rows: readonly Row[]): Map<string, Row[]> {
  const names = pairedBy[file] ?? Object.keys(hostFile(file).key).slice(file === 'RTHDRP' ? 3 : 4);
  const byName = new Map<string, Row[]>();
  for (const row of rows) {
    if (isEmpty(file, row)) continue;
    const name = names.map((column) => (isGivenNumber(column, row) ? '' : (row[column] ?? ''))).join('/');
    byName.set(name, [...(byName.get(name) ?? []), row]);
  }
  return byName;
}

/** The photo of an overage has the number of its exception (OSSEQ) in place of a line. */
const isGivenNumber = (column: string, row: Row): boolean => column === 'RILIN' && row['RIQTYP'] === 'O';

/** A row without content, or flagged as deleted. The rows of a stop and of its route are always there. */
function isEmpty(file: HostFileName, row: Row): boolean {
  if (file === 'RTHDRP' || file === 'RTSTPP') return false;
  if (row['OSDELF'] === 'Y') return true;
  if (file === 'RTOSDP') return false;
  return Object.keys(hostFile(file).service).every((column) => isInitial(column, row[column] ?? ''));
}

const flags = new Set(['RSARVF', 'RUFLWF', 'RUCMTL', 'RHRETM', 'RQACCF', 'RQOPNF', 'OSITMF', 'OSTXTL', 'OSDELF']);

/** Blank, zero, an unset flag, a pending stop. */
const isInitial = (column: string, value: string): boolean =>
  /^[ 0.]*$/.test(value) ||
  (value === 'N' && flags.has(column)) ||
  (value === 'P' && (column === 'RSSTS' || column === 'RUSTS'));

function isSame(file: HostFileName, column: string, ours: string, theirs: string): boolean {
  if (ours.trimEnd() === theirs.trimEnd() || (isInitial(column, ours) && isInitial(column, theirs))) return true;
  return hostFile(file).service[column]?.kind === 'decimal' && Number(ours) === Number(theirs);
}

function isExcused(excuse: Excuse | undefined, column: string, ours: string, theirs: string): boolean {
  if (excuse === undefined) return false;
  if (excuse.kind === 'set') return isInitial(column, ours) === isInitial(column, theirs);
  if (excuse.kind === 'case') return folded(ours) === folded(theirs);
  return excuse.kind === 'any' || Math.abs(valueOf(column, ours) - valueOf(column, theirs)) <= excuse.distance;
}

const folded = (text: string): string => text.toUpperCase().replaceAll(/\s+/g, ' ').trim();

/** A time of the day (HHMMSS, columns end in TM) in seconds; others as they are. */
function valueOf(column: string, text: string): number {
  const value = Number(text);
  if (!column.endsWith('TM')) return value;
  return Math.floor(value / 10_000) * 3_600 + (Math.floor(value / 100) % 100) * 60 + (value % 100);
}

/** The content of a row that one side lacks, in short. */
function describe(file: HostFileName, row: Row): string {
  const columns = pairedBy[file] ?? Object.keys(hostFile(file).service);
  return columns
    .filter((column) => !isInitial(column, row[column] ?? ''))
    .slice(0, 6)
    .map((column) => `${column}=${row[column]}`)
    .join(' ');
}
