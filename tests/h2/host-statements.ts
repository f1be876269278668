import { columnsOf } from '../../server/src/host/files/columns.ts';
import type { Dialect } from '../../server/src/host/files/dialect.ts';
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
} from '../../server/src/host/files/statements.ts';
import { hostFile, hostFileNames, type HostFileName, type HostRecord } from '../../server/src/host/files/tables.ts';
import type { Host, HostRow } from '../../server/src/host/host.ts';
import { Doorbell } from '../../server/src/host/reads/doorbell.ts';
import { hasHeader, readClosedRoutes, readMarks } from '../../server/src/host/reads/marks.ts';
import { readFile, readRouteKeys, readRouteRows, readRoutesOf } from '../../server/src/host/reads/reads.ts';
import { rowsOnHost } from '../../server/src/host/reads/route-keys.ts';
import { inShapes } from '../../server/src/replication/to-host/host-writes.ts';

const library = 'PODDTA';
const route = { facility: 'F01', id: 'R1', week_end: '20261128' };

/** An empty host: it collects the texts of the statements that our reads send. One route is open. */
class EmptyHost implements Host {
  readonly library = library;
  readonly dialect: Dialect;
  readonly texts = new Set<string>();

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  async query(sql: string): Promise<HostRow[]> {
    this.texts.add(sql);
    return sql.startsWith('select RHFAC, RHRTE, RHWKE, RHPODS from')
      ? [{ RHFAC: 'F01', RHRTE: 'R1', RHWKE: '20261128', RHPODS: '' }]
      : [];
  }

  transaction: Host['transaction'] = (work) =>
    work({ query: (sql) => this.query(sql), execute: async (sql) => (await this.query(sql)).length });

  isAtomic = (): boolean => true;
  ping = async () => ({ ccsid: 37, user: '', job: '', library });
  describe = async () => undefined;
  close = async () => undefined;
}

/** Every statement of the service for its files, in this dialect. */
export async function statementsOf(dialect: Dialect): Promise<string[]> {
  const host = new EmptyHost(dialect);
  await readRouteRows(host, route);
  await readRouteKeys(host, { openFrom: '20261101', closedFrom: '20261101' });
  await readRoutesOf(host, { customers: ['C1'], reps: ['S1'], items: ['I1', 'I2'], invoices: ['V1'] });
  await readMarks(host, { openFrom: '20261101', closedFrom: '20261101' });
  await readClosedRoutes(host, ['F01\tR1\t20261128', 'F01\tR2\t20261128'], ['RTHDRP']);
  await hasHeader(host, 'F01\tR1\t20261128');
  await rowsOnHost(host, route, ['A1', 'A2']);
  const doorbell = new Doorbell(host);
  await doorbell.poll();
  await doorbell.clear(1);
  await doorbell.acknowledge(['1', '2', '3']);
  for (const name of hostFileNames) {
    await readFile(host, name);
    for (const text of textsOf(host, name, isColumnOf(name))) host.texts.add(text);
  }
  const credited = { sequence: 'OSRPSQ', unless: 'OSPRCF' } as const;
  host.texts.add(mergeRows(host, 'RTOSDP', ['OSITM', 'OSRPSQ'], 2, credited).sql);
  host.texts.add(countRows(host, 'ASSCHP', 'ACID', 'ACSEQ'));
  host.texts.add(deleteAbove(host, 'LCRSCP', 'LSRPT', 'LSSEQ'));
  host.texts.add(updateEach(host, 'PODCTLP', ['CTQUI', 'CTBEH']).sql);
  host.texts.add(selectColumns(host, 'PODCTLP', ['CTHOLD'], []));
  return [...host.texts];
}

type IsColumn<Name extends HostFileName> = (column: string) => column is keyof HostRecord<Name> & string;

const isColumnOf =
  <Name extends HostFileName>(name: Name): IsColumn<Name> =>
  (column): column is keyof HostRecord<Name> & string =>
    Object.hasOwn(columnsOf(hostFile(name)), column);

/** All forms of reads and writes of one file, in each number of rows that a write has. */
function textsOf<Name extends HostFileName>(place: EmptyHost, name: Name, isColumn: IsColumn<Name>): string[] {
  const file = hostFile(name);
  const [key, planned, columns] = [
    Object.keys(file.key).filter(isColumn),
    Object.keys({ ...file.key, ...file.host }).filter(isColumn),
    Object.keys(file.service).filter(isColumn),
  ];
  const [first] = key;
  const inserts = planned.length > 0 ? [insertRows(place, name, planned, 2).sql] : [];
  const reads =
    first === undefined
      ? [updateNoRows(place, name)]
      : [
          selectRows(place, name, key).sql,
          selectSigned(place, name, key),
          selectRowsIn(place, name, first, 3),
          selectWritten(place, name, key).sql,
          updateNoRows(place, name),
        ];
  if (first === undefined || columns.length === 0) return [...reads, ...inserts];
  const sequence = columns.find((column) => column.endsWith('RPSQ'));
  const guards = sequence === undefined ? {} : { sequence };
  return [
    ...reads,
    ...inserts,
    updateGuarded(place, name, columns).sql,
    ...[...shapes].flatMap((count) => [
      mergeRows(place, name, columns, count, guards).sql,
      mergeRows(place, name, columns, count, { keepsMissing: true }).sql,
      putRows(place, name, columns, count).sql,
      insertMissing(place, name, columns, count).sql,
    ]),
  ];
}

/** The numbers of rows that a write has. */
const shapes = new Set(
  Array.from({ length: 47 }, (_, index) =>
    inShapes(Array.from({ length: index + 1 }, () => 0)).map((part) => part.length),
  ).flat(),
);
