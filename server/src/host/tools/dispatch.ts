import type { HostFileName, HostPart, HostRecord } from '../files/tables.ts';
import { readCommitted } from '../files/dialect.ts';
import type { Host, HostTransaction } from '../host.ts';
import { inParts } from '../files/in-parts.ts';
import { hostMoment, type HostMoment } from '../files/local-time.ts';
import type { RouteFile } from './load-file.ts';
import { hostRowsOf } from './load-rows.ts';
import { namesOn } from '../files/library-map.ts';
import { insertRows, putRows, selectColumns, selectRows, type AuditStamp } from '../files/statements.ts';

// Acts as the back office's dispatch program: it writes routes into the host's files, in one transaction a route, the
// dispatch date last.

/**
 * Rows a statement, of some twenty parameters each: clients of Db2 take several thousand in one statement, PostgreSQL's
 * own C library 7,500. The round trips are few enough.
 */
const ROWS_A_STATEMENT = 150;

export type Office = { user: string; now: Date };

/**
 * Writes a route as dispatched. The same key again changes the existing rows: the service's own columns stay as they
 * are.
 */
export async function dispatchRoute(host: Host, route: RouteFile, office: Office): Promise<void> {
  const rows = hostRowsOf(route);
  await host.transaction(async (tx) => {
    const zone = await zoneOf(host, tx, route.facility);
    const moment = hostMoment(office.now, zone);
    const writer = new Writer(host, tx, { user: office.user, program: 'DISPATCH', ...moment });
    const { header } = rows;
    const { map, table, column } = namesOn(host);
    const ofRoute = (prefix: string) =>
      ['FAC', 'RTE', 'WKE'].map((part) => `${column(`${prefix}${part}`)} = ?`).join(' and ');
    const key = [header.RHFAC, header.RHRTE, header.RHWKE];

    await writer.put('RTHDRP', ['RHNAM', 'RHTRLR', 'RHEMLF'], [header]);
    await writer.put('SLSREPP', ['SRNAM', 'SRPHN'], rows.reps);
    await writer.put('CUSMSP', customerColumns, rows.customers);
    await writer.put('ITCOLP', itemColumns, rows.items);
    // Lines belong to the host alone: replaced. Stops and drivers also have columns of the service: changed in place.
    await tx.execute(`delete from ${table('RTPRDP')} where ${ofRoute('RP')}`, key);
    await tx.execute(`delete from ${table('RTCOLP')} where ${ofRoute('RC')}`, key);
    const stops = rows.stops.map(({ RSSTP }) => RSSTP);
    await writer.keepOnly('RTSTPP', { RSFAC: header.RHFAC, RSRTE: header.RHRTE, RSWKE: header.RHWKE }, 'RSSTP', stops);
    const drivers = rows.drivers.map(({ RDEMP }) => RDEMP);
    await writer.keepOnly(
      'RTDRVP',
      { RDFAC: header.RHFAC, RDRTE: header.RHRTE, RDWKE: header.RHWKE },
      'RDEMP',
      drivers,
    );
    await tx.execute(
      `update ${table('INVHDP')} set ${column('IHRTE')} = ' ', ${column('IHSTP')} = 0 where ${ofRoute('IH')}`,
      key,
    );
    await writer.put('RTDRVP', ['RDTYP', 'RDSEQ'], rows.drivers);
    await writer.put('RTSTPP', ['RSTYP', 'RSCUS', 'RSSEQ', 'RSETA'], rows.stops);
    await writer.put('INVHDP', ['IHCUS', 'IHDAT', 'IHFAC', 'IHRTE', 'IHWKE', 'IHSTP'], rows.invoices);
    await writer.insert('RTPRDP', productColumns, rows.products);
    await writer.insert('RTCOLP', ['RCFAC', 'RCRTE', 'RCWKE', 'RCSTP', 'RCITM', 'RCINV', 'RCQTY'], rows.collections);
    // A library without it has no routes that are still being planned.
    if (map.ownName('RHDSDT') === undefined) return;
    await tx.execute(`update ${table('RTHDRP')} set ${column('RHDSDT')} = ? where ${ofRoute('RH')}`, [
      moment.date,
      ...key,
    ]);
  });
}

/** Master files of the back office, as its own maintenance programs fill them. */
export type Masters = {
  facilities: readonly HostPart<'FACMSTP'>[];
  employees: readonly HostPart<'EMPMSTP'>[];
  codes: readonly HostPart<'CTLCDP'>[];
};

export async function writeMasters(host: Host, office: Office, masters: Masters): Promise<void> {
  await host.transaction(async (tx) => {
    const writer = new Writer(host, tx, { user: office.user, program: 'MASTERS', ...hostMoment(office.now, 'UTC') });
    await writer.put('FACMSTP', ['FANAM', 'FATZ'], masters.facilities);
    await writer.put('EMPMSTP', ['EMNAM', 'EMPHN', 'EMSTS', 'EMFAC', 'EMJOB'], masters.employees);
    await writer.put(
      'CTLCDP',
      ['CCDSC', 'CCCAT', 'CCDRVF', 'CCSRF', 'CCPHOF', 'CCCMTF', 'CCSEQ', 'CCSTS'],
      masters.codes,
    );
  });
}

/** Whether the back office has neither employees nor routes yet. */
export async function isEmptyHost(host: Host): Promise<boolean> {
  const { table, column } = namesOn(host);
  const select = `select ${column('EMEMP')} as ID from ${table('EMPMSTP')} union all select ${column('RHRTE')} from ${table('RTHDRP')} fetch first 1 rows only`;
  return (await host.query(readCommitted(host.dialect, select))).length === 0;
}

/** A fully delivered route that the back office has closed. */
export async function closeInOffice(host: Host, route: string, { date, time }: HostMoment): Promise<void> {
  const { table, column, literal } = namesOn(host);
  const set = (name: string, value: string) => `${column(name)} = ${literal(name, value)}`;
  const [ofRoute, stop] = [`where ${column('RSRTE')} = ?`, column('RSSTP')];
  await host.transaction(async (tx) => {
    await tx.execute(`update ${table('RTSTPP')} set ${set('RSSTS', 'D')} ${ofRoute} and ${stop} <> 999`, [route]);
    await tx.execute(
      `update ${table('RTSTPP')} set ${set('RSSTS', 'C')}, ${set('RSARVF', 'Y')} ${ofRoute} and ${stop} = 999`,
      [route],
    );
    await tx.execute(
      `update ${table('RTHDRP')} set ${set('RHPODS', 'C')}, ${set('RHRETM', 'Y')}, ${column('RHCLDT')} = ?, ${column('RHCLTM')} = ?, ${set('RHCLBY', 'D')} where ${column('RHRTE')} = ?`,
      [date, time, route],
    );
  });
}

/** Employees of a route file that are not in the master: they cannot sign up. */
export async function unknownDrivers(host: Host, routes: readonly RouteFile[]): Promise<string[]> {
  const known = await host.query(selectColumns(host, 'EMPMSTP', ['EMEMP'], []));
  const names = new Set(known.map(({ EMEMP }) => EMEMP));
  return [...new Set(routes.flatMap((route) => route.drivers.map(({ id }) => id)))].filter((id) => !names.has(id));
}

async function zoneOf(host: Host, tx: HostTransaction, facility: string): Promise<string> {
  const statement = selectRows(host, 'FACMSTP', ['FAFAC']);
  const [row] = await tx.query(statement.sql, statement.bind({ FAFAC: facility }));
  return typeof row?.['FATZ'] === 'string' ? row['FATZ'] : '';
}

/** Columns and their required values. */
type RowKey = { readonly [column: string]: string };

/** Multi-row statements of one transaction, under one stamp. */
class Writer {
  readonly #host: Host;
  readonly #tx: HostTransaction;
  readonly #stamp: AuditStamp;

  constructor(host: Host, tx: HostTransaction, stamp: AuditStamp) {
    this.#host = host;
    this.#tx = tx;
    this.#stamp = stamp;
  }

  async put<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
    name: Name,
    columns: readonly Chosen[],
    rows: Parameters<ReturnType<typeof putRows<Name, Chosen>>['bind']>[0]['rows'],
  ): Promise<void> {
    for (const part of inParts(rows, ROWS_A_STATEMENT)) {
      const statement = putRows(this.#host, name, columns, part.length);
      await this.#tx.execute(statement.sql, statement.bind({ rows: part, stamp: this.#stamp }));
    }
  }

  async insert<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
    name: Name,
    columns: readonly Chosen[],
    rows: readonly Pick<HostRecord<Name>, Chosen>[],
  ): Promise<void> {
    for (const part of inParts(rows, ROWS_A_STATEMENT)) {
      const statement = insertRows(this.#host, name, columns, part.length);
      await this.#tx.execute(statement.sql, statement.bind({ rows: part, stamp: this.#stamp }));
    }
  }

  /** Deletes those rows of this key that the new plan lacks: rows whose `column` is in `kept` stay. */
  async keepOnly(name: HostFileName, key: RowKey, column: string, kept: readonly string[]): Promise<void> {
    const { table, column: own } = namesOn(this.#host);
    const where = Object.keys(key).map((part) => `${own(part)} = ?`);
    if (kept.length > 0) where.push(`${own(column)} not in (${kept.map(() => '?').join(', ')})`);
    await this.#tx.execute(`delete from ${table(name)} where ${where.join(' and ')}`, [...Object.values(key), ...kept]);
  }
}

const customerColumns = [
  'CMNAM',
  'CMVRTF',
  'CMPHN',
  'CMEML',
  'CMCEML',
  'CMSLR',
  'CMAD1',
  'CMAD2',
  'CMAD3',
  'CMCTY',
  'CMST',
  'CMZIP',
  'CMLAT',
  'CMLON',
] as const;
const itemColumns = ['ICNAM', 'ICDSC', 'ICREQF', 'ICTOTF', 'ICPHOF', 'ICCTYP', 'ICSEC'] as const;
const productColumns = [
  'RPFAC',
  'RPRTE',
  'RPWKE',
  'RPSTP',
  'RPINV',
  'RPITM',
  'RPLIN',
  'RPNAM',
  'RPDSC',
  'RPQTY',
  'RPBUPC',
  'RPIUPC',
  'RPSEC',
  'RPCTYP',
  'RPTARE',
  'RPACT',
] as const;
