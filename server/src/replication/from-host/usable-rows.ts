import type { Queryable } from '../../db/types.ts';
import type { HostFileName, HostRecord } from '../../host/files/tables.ts';
import { hostFile } from '../../host/files/tables.ts';
import { instantOf } from '../../host/files/local-time.ts';
import { readFile, type RouteRows } from '../../host/reads/reads.ts';
import type { Host } from '../../host/host.ts';
import { reportFaults, type HostFault } from './host-faults.ts';

// Other programs write any value into the host's columns. A value that is no possible date, time, place or count
// becomes blank before it reaches a plan. An incident names it by the key of its row (decision 78).

/** @returns the value in use; undefined where it is impossible */
type ValueRule = (value: string) => string | undefined;

const day: ValueRule = (value) => when(Number(value) === 0 || isShown({ date: value, time: '0' }), value);
const time: ValueRule = (value) => when(isShown({ date: '20260101', time: value }), value);
const count: ValueRule = (value) => when(Number(value) >= 0, value);
const within =
  (max: number): ValueRule =>
  (value) =>
    when(Math.abs(Number(value)) <= max, value);
/** A flag counts in small letters, too. */
const mark =
  (...known: readonly string[]): ValueRule =>
  (value) =>
    when(known.includes(value.toUpperCase()), value.toUpperCase());
const flag = mark('', 'N', 'Y');
/** A state of which only one letter has a meaning here. */
const state: ValueRule = (value) => value.toUpperCase();

const valueRules: { readonly [column: string]: ValueRule | undefined } = {
  ...{ RHDSDT: day, RHEMLF: flag, RDSEQ: count, RSSTP: (value) => when(Number(value) >= 1, value) },
  ...{ RSTYP: mark('', 'D', 'B', 'W'), RSSEQ: count, RSETA: time, RPQTY: count, RCQTY: count, IHDAT: day },
  ...{ ICREQF: flag, ICTOTF: flag, ICPHOF: flag, CMVRTF: flag, CMLAT: within(90), CMLON: within(180) },
  ...{ EMSTS: state, CCSTS: state, CCDRVF: flag, CCSRF: flag, CCPHOF: flag, CCCMTF: flag, CCSEQ: count },
};
/** Any date marks a route as dispatched, and no phone shows it: the driver receives the route. */
const neverCleared: ReadonlySet<string> = new Set(['RHDSDT']);
/** One coordinate without the other is a wrong place. */
const places = ['CMLAT', 'CMLON'] as const;

/** A route's rows as plans may show them, and their faults. Stops with a number that no phone can name are left out. */
export function usableRows(found: RouteRows): { rows: RouteRows; faults: HostFault[] } {
  const faults: HostFault[] = [];
  const all = <Row extends object>(file: HostFileName, rows: readonly Row[]) =>
    rows.map((row) => usableRow(file, row, faults));
  const [header] = all('RTHDRP', found.header ? [found.header] : []);
  const rows = {
    header,
    drivers: all('RTDRVP', found.drivers),
    stops: all('RTSTPP', found.stops).filter(({ RSSTP }) => RSSTP !== '0'),
    products: all('RTPRDP', found.products),
    collections: all('RTCOLP', found.collections),
    invoices: all('INVHDP', found.invoices),
    customers: all('CUSMSP', found.customers),
    reps: all('SLSREPP', found.reps),
    items: all('ITCOLP', found.items),
    results: found.results,
  };
  return { rows, faults };
}

/** A whole master file with its usable values. Faults are reported. @throws HostError */
export async function readUsableFile<Name extends 'FACMSTP' | 'EMPMSTP' | 'CTLCDP'>(
  db: Queryable,
  host: Host,
  name: Name,
): Promise<HostRecord<Name>[]> {
  const faults: HostFault[] = [];
  const rows = (await readFile(host, name)).map((row) => usableRow(name, row, faults));
  await reportFaults(db, faults);
  return rows;
}

function usableRow<Row extends object>(file: HostFileName, row: Row, faults: HostFault[]): Row {
  const { key, host } = hostFile(file);
  const values = new Map<string, unknown>(Object.entries(row));
  const read = (column: string) => String(values.get(column));
  const changed: { [column: string]: string } = {};
  const names = Object.keys(key);
  for (const [column, { kind }] of Object.entries({ ...key, ...host })) {
    const value = read(column);
    const isPrintable = value.search(CONTROLS) < 0;
    const plain = isPrintable ? value : value.replaceAll(CONTROLS, ' ').trimEnd();
    const usable = (valueRules[column] ?? same)(plain);
    if (!isPrintable || usable === undefined)
      faults.push({ file, key: Object.fromEntries(names.map((name) => [name, read(name)])), column, value });
    const replacement = usable ?? (neverCleared.has(column) ? plain : kind === 'char' ? '' : '0');
    if (replacement !== value) changed[column] = replacement;
  }
  if (places.some((column) => changed[column] !== undefined)) for (const column of places) changed[column] = '0';
  return Object.keys(changed).length === 0 ? row : { ...row, ...changed };
}

/** PostgreSQL stores no NUL, and no screen shows the others. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

const same: ValueRule = (value) => value;
const when = (holds: boolean, value: string): string | undefined => (holds ? value : undefined);
const isShown = (moment: { date: string; time: string }): boolean => instantOf(moment, 'UTC') !== undefined;
