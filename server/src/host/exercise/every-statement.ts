import { columnsOf, type Column, type HostValue } from '../files/columns.ts';
import { shapes } from '../files/in-shapes.ts';
import { namesOn } from '../files/library-map.ts';
import {
  countRows,
  deleteAbove,
  insertMissing,
  insertRows,
  mergeRows,
  putRows,
  selectColumns,
  selectRows,
  selectRowsIn,
  selectSigned,
  selectWritten,
  updateEach,
  updateGuarded,
  updateNoRows,
  type HostStatement,
} from '../files/statements.ts';
import { hostFile, hostFileNames, type HostFileName, type HostRecord } from '../files/tables.ts';
import type { Host } from '../host.ts';
import { Doorbell } from '../reads/doorbell.ts';
import { readLoadableRoutes } from '../reads/loadable-routes.ts';
import { deleteLogLines, oldestLogLines } from '../reads/log-lines.ts';
import { hasHeader, readClosedRoutes, readMarks } from '../reads/marks.ts';
import { readFile, readRouteKeys, readRouteRows, readRoutesOf } from '../reads/reads.ts';
import { lastWrites, rowsOnHost } from '../reads/route-keys.ts';

// Every statement of the service for its files, with values of each column's kind: for a second grammar, and for a host that
// is tried.

/** A route and keys that no host has. */
export const noRoute = { facility: 'ZZ', id: 'ZZ', week_end: '20000101' } as const;
const place = Object.values(noRoute).join('\t');
const stamp = { user: 'TAILGATE', program: 'TAILGATE', date: '20000101', time: '101010' };

/** Sends every statement once; those that write go through transactions. @throws as the host does */
export async function sendEveryStatement(host: Host): Promise<void> {
  await readRouteRows(host, noRoute);
  await readRouteKeys(host, { openFrom: '20000101', closedFrom: '20000101' });
  await readRoutesOf(host, { customers: ['ZZ'], reps: ['ZZ'], items: ['ZZ', 'ZY'], invoices: ['ZZ'] });
  await readMarks(host, { openFrom: '20000101', closedFrom: '20000101' });
  await readClosedRoutes(host, [place, place.replace('ZZ', 'ZY')], ['RTHDRP']);
  await hasHeader(host, place);
  await readLoadableRoutes(host, { openFrom: '20000101', closedFrom: '20000101' });
  await rowsOnHost(host, noRoute, ['ZZ', 'ZY']);
  await lastWrites(host, noRoute, 1);
  const doorbell = new Doorbell(host);
  await doorbell.poll();
  await doorbell.clear(1);
  await doorbell.acknowledge(['1', '2', '3']);
  await oldestLogLines(host, 1);
  await deleteLogLines(host, ['ZZ', 'ZY'], '20000101');
  for (const name of hostFileNames) {
    await readFile(host, name);
    await sendOfFile(host, name, isColumnOf(name));
  }
  const credited = { sequence: 'OSRPSQ', unless: 'OSPRCF' } as const;
  await write(host, mergeRows(host, 'RTOSDP', ['OSITM', 'OSRPSQ'], 2, credited), guarded(host, 'RTOSDP', 2));
  await host.query(countRows(host, 'ASSCHP', 'ACID', 'ACSEQ'), ['ZZ']);
  await host.transaction((tx) => tx.execute(deleteAbove(host, 'LCRSCP', ['LSRPT'], 'LSSEQ'), ['ZZ', '1']));
  await write(host, updateEach(host, 'PODCTLP', ['CTQUI', 'CTBEH']), { row: sampleRow(host, 'PODCTLP'), stamp });
  await host.query(selectColumns(host, 'PODCTLP', ['CTHOLD'], []));
}

type IsColumn<Name extends HostFileName> = (column: string) => column is keyof HostRecord<Name> & string;

const isColumnOf =
  <Name extends HostFileName>(name: Name): IsColumn<Name> =>
  (column): column is keyof HostRecord<Name> & string =>
    Object.hasOwn(columnsOf(hostFile(name)), column);

/** All forms of reads and writes of one file, in each number of rows that a write has. */
async function sendOfFile<Name extends HostFileName>(host: Host, name: Name, isColumn: IsColumn<Name>): Promise<void> {
  const file = hostFile(name);
  const [key, planned, columns] = [
    Object.keys(file.key).filter(isColumn),
    Object.keys({ ...file.key, ...file.host }).filter(isColumn),
    Object.keys(file.service).filter(isColumn),
  ];
  const [first] = key;
  const row = sampleRow(host, name);
  const isNumbered = Object.values(file.key).some(({ kind }) => kind === 'identity');
  if (!isNumbered) await host.transaction((tx) => tx.execute(updateNoRows(host, name)));
  if (first !== undefined) {
    const values = key.map((column) => row[column] ?? '');
    await read(host, selectRows(host, name, key), row);
    await host.query(selectSigned(host, name, key), values);
    await host.query(selectRowsIn(host, name, first, 3), [values[0] ?? '', values[0] ?? '', values[0] ?? '']);
    await read(host, selectWritten(host, name, key), row);
  }
  if (planned.length > 0 && !isNumbered)
    await write(host, insertRows(host, name, planned, 2), { rows: distinct(host, name, 2), stamp });
  if (first === undefined || columns.length === 0) return;
  const sequence = columns.find((column) => column.endsWith('RPSQ'));
  const guards = sequence === undefined ? {} : { sequence };
  if (namesOn(host).map.writes(name))
    await write(host, updateGuarded(host, name, columns), { key: row, row, was: row, stamp });
  for (const count of shapes) {
    const rows = { rows: distinct(host, name, count), stamp };
    await write(host, mergeRows(host, name, columns, count, guards), guarded(host, name, count));
    await write(host, mergeRows(host, name, columns, count, { keepsMissing: true }), guarded(host, name, count));
    await write(host, putRows(host, name, columns, count), rows);
    await write(host, insertMissing(host, name, columns, count), rows);
  }
}

const isInputOf = <Input>(_statement: HostStatement<Input>, input: unknown): input is Input =>
  typeof input === 'object' && input !== null;

async function read<Input>(host: Host, statement: HostStatement<Input>, input: unknown): Promise<void> {
  if (isInputOf(statement, input)) await host.query(statement.sql, statement.bind(input));
}

async function write<Input>(host: Host, statement: HostStatement<Input>, input: unknown): Promise<void> {
  if (!isInputOf(statement, input)) return;
  const values = statement.bind(input);
  await host.transaction((tx) => tx.execute(statement.sql, values));
}

type Sample = { readonly [column: string]: HostValue };

/** A value of each column's kind. */
function sampleRow(host: Host, name: HostFileName): Sample {
  const file = namesOn(host).map.file(name);
  return Object.fromEntries(Object.entries(columnsOf(file)).map(([column, type]) => [column, sampleOf(type)]));
}

/** Rows that differ in the last number of their key. */
function distinct(host: Host, name: HostFileName, count: number): Sample[] {
  const { key } = hostFile(name);
  const row = sampleRow(host, name);
  const last = Object.keys(key).findLast((column) => key[column]?.kind === 'decimal') ?? Object.keys(key).at(-1) ?? '';
  return Array.from({ length: count }, (_, index) => ({ ...row, [last]: `${index + 1}` }));
}

const guarded = (host: Host, name: HostFileName, count: number) => ({
  rows: distinct(host, name, count).map((row) => ({ row, was: row })),
  stamp,
});

function sampleOf(column: Column): HostValue {
  switch (column.kind) {
    case 'char':
      return column.values?.[1] ?? 'ZZ'.slice(0, column.length);
    case 'decimal':
      return column.scale === 0 ? '1' : `1.${'0'.repeat(column.scale)}`;
    case 'timestamp':
    case 'changedAt':
      return '2000-01-01 10:10:10.000000';
    case 'binary':
      return Buffer.from([0, 255]);
    case 'identity':
    case 'changeNumber':
      break;
  }
  return '1';
}
