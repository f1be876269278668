import { hostFile, isHostFileName } from '../../host/files/tables.ts';

/**
 * How a column may differ without a finding. `any`: in any way. `set`: both have a value, or neither. `case`: in upper and
 * lower case, and in blanks. `within`: numbers up to this distance, times in seconds.
 */
export type Excuse =
  | { readonly kind: 'any' }
  | { readonly kind: 'set' }
  | { readonly kind: 'case' }
  | { readonly kind: 'within'; readonly distance: number };

/** By column, such as RUCMT: names of columns are unique over all files. */
export type Excuses = ReadonlyMap<string, Excuse>;

/** A rule that cannot be read. */
export class ExcuseError extends Error {
  override readonly name = 'ExcuseError';
}

/** Only the service has a use for these: numbers of a write, names of its entries, its own counts. */
const own = ['RUTRC', 'RURPSQ', 'RQRPSQ', 'OSRPSQ', 'OSREV', 'OSOID', 'OSPAR', 'RHOPEN', 'RHLATE'];
/** Each system names its files. */
const files = ['RUSIG', 'RQIMG', 'OSIMG', 'RIASS'];

/** The rules that hold always. */
export const alwaysExcused: Excuses = new Map<string, Excuse>([
  ...own.map((column) => [column, { kind: 'any' }] as const),
  ...files.map((column) => [column, { kind: 'set' }] as const),
]);

const expected = 'expected FILE.COLUMN, then any, set, case or within N, such as RTSTUP.RUETM within 120';

/**
 * Rules as text, one a line; the reason follows `#`. They add to those that hold always.
 * @throws ExcuseError names the line
 */
export function readExcuses(text: string): Excuses {
  const excuses = new Map(alwaysExcused);
  for (const [index, line] of text.split('\n').entries()) {
    const [rule = ''] = line.split('#');
    if (rule.trim() === '') continue;
    const { column, excuse } = readRule(rule.trim(), index + 1);
    excuses.set(column, excuse);
  }
  return excuses;
}

function readRule(rule: string, line: number): { column: string; excuse: Excuse } {
  const [, file = '', column = '', kind = '', distance] =
    /^(\w+)\.(\w+)\s+(any|set|case|within)(?:\s+(\d{1,6}))?$/.exec(rule) ?? [];
  if ((kind === 'within') !== (distance !== undefined) || kind === '')
    throw new ExcuseError(`line ${line}: ${expected}, got ${rule}`);
  if (!isHostFileName(file) || !Object.hasOwn(hostFile(file).service, column))
    throw new ExcuseError(`line ${line}: ${file}.${column} is no column that the service writes`);
  if (kind === 'within') return { column, excuse: { kind, distance: Number(distance) } };
  return { column, excuse: { kind: kind === 'any' ? 'any' : kind === 'set' ? 'set' : 'case' } };
}
