import { readCommitted } from '../files/dialect.ts';
import type { Host, HostRow, HostTransaction } from '../host.ts';
import { inParts } from '../files/in-parts.ts';
import { namesOn } from '../files/library-map.ts';
import { placeholders, readRecords, selectRows, selectRowsIn } from '../files/statements.ts';
import type { HostFileName, HostRecord } from '../files/tables.ts';
import type { ImportedWeeks } from './imported-weeks.ts';

// The import's reads of the host. Every result consists of whole rows, read by key.

/** The key of a route on the host. */
export type HostRouteKey = { facility: string; id: string; week_end: string };

/** The host's own files of one route. */
export type RouteRows = {
  /** Undefined: the host has no such route. */
  header: HostRecord<'RTHDRP'> | undefined;
  drivers: HostRecord<'RTDRVP'>[];
  stops: HostRecord<'RTSTPP'>[];
  products: HostRecord<'RTPRDP'>[];
  collections: HostRecord<'RTCOLP'>[];
  invoices: HostRecord<'INVHDP'>[];
  customers: HostRecord<'CUSMSP'>[];
  reps: HostRecord<'SLSREPP'>[];
  items: HostRecord<'ITCOLP'>[];
  /** Stops with a result row: the service has written them. */
  results: HostRecord<'RTSTUP'>[];
};

/** Values of one IN list; Db2 and PostgreSQL take thousands, a plan for hundreds is still quick. */
const KEYS_A_STATEMENT = 500;

export async function readRouteRows(host: Host, route: HostRouteKey): Promise<RouteRows> {
  return host.transaction(async (tx) => {
    const { facility, id, week_end } = route;
    const key = [facility, id, week_end];
    const [headers, drivers, stops, products, collections, invoices, results] = await Promise.all([
      read(host, tx, 'RTHDRP', ['RHFAC', 'RHRTE', 'RHWKE'], key),
      read(host, tx, 'RTDRVP', ['RDFAC', 'RDRTE', 'RDWKE'], key),
      read(host, tx, 'RTSTPP', ['RSFAC', 'RSRTE', 'RSWKE'], key),
      read(host, tx, 'RTPRDP', ['RPFAC', 'RPRTE', 'RPWKE'], key),
      read(host, tx, 'RTCOLP', ['RCFAC', 'RCRTE', 'RCWKE'], key),
      read(host, tx, 'INVHDP', ['IHFAC', 'IHRTE', 'IHWKE'], key),
      read(host, tx, 'RTSTUP', ['RUFAC', 'RURTE', 'RUWKE'], key),
    ]);
    const customers = await readIn(
      host,
      tx,
      'CUSMSP',
      'CMCUS',
      stops.map(({ RSCUS }) => RSCUS),
    );
    const reps = await readIn(
      host,
      tx,
      'SLSREPP',
      'SRID',
      customers.map(({ CMSLR }) => CMSLR),
    );
    const itemIds = [...products.map(({ RPITM }) => RPITM), ...collections.map(({ RCITM }) => RCITM)];
    const items = await readIn(host, tx, 'ITCOLP', 'ICITM', itemIds);
    return {
      header: headers[0],
      drivers,
      stops,
      products,
      collections,
      invoices,
      customers,
      reps,
      items: items.filter(({ ICFAC }) => ICFAC === facility),
      results,
    };
  });
}

/** A whole master file; these are small. */
export async function readFile<Name extends HostFileName>(host: Host, name: Name): Promise<HostRecord<Name>[]> {
  const { sql } = selectRows(host, name, []);
  return readRecords(name, await host.query(sql));
}

/** Keys of the current routes: open ones, and closed ones of later weeks. */
export async function readRouteKeys(host: Host, { openFrom, closedFrom }: ImportedWeeks): Promise<HostRouteKey[]> {
  const { column, literal } = namesOn(host);
  const select = `${selectRoutes(host, 'RTHDRP', 'RH')}
      where ${column('RHWKE')} >= ? and (${column('RHPODS')} <> ${literal('RHPODS', 'C')} or ${column('RHWKE')} >= ?)`;
  return (await host.query(readCommitted(host.dialect, select), [openFrom, closedFrom])).map(routeKeyOf);
}

/** Routes that visit these customers or customers of these sales reps, or contain these items or invoices. */
export async function readRoutesOf(
  host: Host,
  masters: { customers: string[]; reps: string[]; items: string[]; invoices: string[] },
): Promise<HostRouteKey[]> {
  const { table, column } = namesOn(host);
  const of = (file: HostFileName, prefix: string, by: string) => (list: string) =>
    `${selectRoutes(host, file, prefix, 'distinct ')} where ${column(by)} in ${list}`;
  const repped = (list: string) =>
    `(select ${column('CMCUS')} from ${table('CUSMSP')} where ${column('CMSLR')} in ${list})`;
  const questions: [values: string[], sql: (list: string) => string][] = [
    [masters.customers, of('RTSTPP', 'RS', 'RSCUS')],
    [masters.reps, (list) => of('RTSTPP', 'RS', 'RSCUS')(repped(list))],
    [masters.items, of('RTPRDP', 'RP', 'RPITM')],
    [masters.items, of('RTCOLP', 'RC', 'RCITM')],
    [masters.invoices, of('INVHDP', 'IH', 'IHINV')],
  ];
  const found: HostRouteKey[] = [];
  for (const [values, sql] of questions) {
    for (const part of listsOf(values)) {
      const select = readCommitted(host.dialect, sql(placeholders(part.length)));
      found.push(...(await host.query(select, part)).map(routeKeyOf));
    }
  }
  return found;
}

/** The keys of the routes of a file's rows, as FAC, RTE, WKE. */
function selectRoutes(host: Host, file: HostFileName, prefix: string, distinct = ''): string {
  const { table, column } = namesOn(host);
  const items = ['FAC', 'RTE', 'WKE'].map((part) => `${column(`${prefix}${part}`)} as ${part}`);
  return `select ${distinct}${items.join(', ')} from ${table(file)}`;
}

async function read<Name extends HostFileName>(
  host: Host,
  tx: HostTransaction,
  name: Name,
  by: readonly (keyof HostRecord<Name> & string)[],
  values: readonly string[],
): Promise<HostRecord<Name>[]> {
  return readRecords(name, await tx.query(selectRows(host, name, by).sql, values));
}

async function readIn<Name extends HostFileName>(
  host: Host,
  tx: HostTransaction,
  name: Name,
  column: keyof HostRecord<Name> & string,
  values: readonly string[],
): Promise<HostRecord<Name>[]> {
  const found: HostRecord<Name>[] = [];
  for (const part of listsOf(values)) {
    const rows = await tx.query(selectRowsIn(host, name, column, part.length), part);
    found.push(...readRecords(name, rows));
  }
  return found;
}

/** Distinct values that are not blank, a statement's worth at a time. */
function listsOf(values: readonly string[]): string[][] {
  return inParts(
    [...new Set(values)].filter((value) => value !== ''),
    KEYS_A_STATEMENT,
  );
}

export function routeKeyOf(row: HostRow): HostRouteKey {
  return { facility: String(row['FAC']), id: String(row['RTE']), week_end: String(row['WKE']) };
}
