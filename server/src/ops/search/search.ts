import type { Db, Queryable, Statement } from '../../db/types.ts';
import { readWithin } from '../../db/read-within.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { summaryOf, type SummaryRow } from '../routes/stop-summary.ts';
import type { FoundFile, FoundMutation, FoundStop, SearchAnswer, SearchQuery } from './contract.ts';
import { searchOperations } from './contract.ts';
import { readQuestion, type Question } from './question.ts';
import * as sql from './search-sql.ts';

export interface SearchDeps {
  readonly db: Db;
  readonly clock: () => Date;
}

/** Above every id with the same beginning, in the order of bytes. */
const ABOVE = '\u{10FFFF}';
const MONTH_MS = 30 * 24 * 3_600_000;

/** Finds everything that the text can mean. Kinds that it cannot mean cost no statement. */
async function search({ db, clock }: SearchDeps, { q, limit }: SearchQuery): Promise<SearchAnswer> {
  const question = readQuestion(q);
  const { starts, patterns, asset, mutations } = question;
  const [customers, routes, drivers, files, changes] = await Promise.all([
    find<Customer>(db, sql.findCustomers, [starts, ABOVE, question.words, weekOf(clock()), limit + 1]),
    starts.length > 0 ? find<Route>(db, sql.findRoutes, [starts, ABOVE, limit + 1]) : [],
    find<Driver>(db, sql.findDrivers, [starts, patterns, limit + 1]),
    asset === null ? [] : find<FileRow>(db, sql.findFiles, [asset, ABOVE, limit + 1]),
    mutations === null ? [] : find<MutationRow>(db, sql.findMutations, [...mutations, limit + 1]),
  ]);
  const named = await findStops(db, question, customers.slice(0, limit), limit + 1);
  const begun = await findByInvoiceStart(db, question, named, limit + 1);
  const stops = begun ? withBegun(named, begun) : named;
  const found = { stops, routes, customers, drivers, files, mutations: changes };
  return {
    stops: stops.slice(0, limit).map(stopOf),
    routes: routes.slice(0, limit),
    customers: customers.slice(0, limit),
    drivers: drivers.slice(0, limit),
    files: files.slice(0, limit).map(fileOf),
    mutations: changes.slice(0, limit).map(mutationOf),
    more: kinds.filter((kind) => found[kind].length > limit || (kind === 'stops' && !begun)),
  };
}

const kinds = ['stops', 'routes', 'customers', 'drivers', 'files', 'mutations'] as const;

type Customer = SearchAnswer['customers'][number];
type Route = SearchAnswer['routes'][number];
type Driver = SearchAnswer['drivers'][number];
type StopRow = SummaryRow & Pick<FoundStop, 'matched'>;
type FileRow = Omit<FoundFile, 'state' | 'received_at'> & {
  readonly state: 'L' | 'R' | 'M';
  readonly received_at: Date | null;
};
type MutationRow = Omit<FoundMutation, 'received_at'> & { readonly received_at: Date };

async function find<Row>(db: Queryable, statement: Statement, values: unknown[]): Promise<readonly Row[]> {
  const { rows } = await db.query<Row & Record<string, unknown>>(statement, values);
  return rows;
}

/** The week that ended 30 days ago. */
const weekOf = (now: Date): string => new Date(now.getTime() - MONTH_MS).toISOString().slice(0, 10).replaceAll('-', '');

function findStops(
  db: Queryable,
  { stop, invoices, trace }: Question,
  customers: readonly Customer[],
  rows: number,
): Promise<readonly StopRow[]> {
  return find<StopRow>(db, sql.findStops, [
    stop?.routes ?? [],
    stop?.facility ?? null,
    stop?.weekEnd ?? null,
    stop?.stop ?? null,
    customers.map(({ facility }) => facility),
    customers.map(({ customer }) => customer),
    invoices,
    trace,
    ABOVE,
    rows,
  ]);
}

/** The beginning of an invoice can match every stop of a year. */
const INVOICE_START_MS = 1_000;

/** Stops by the beginning of an invoice, where it is no whole one. @returns undefined where they are too many for the time */
async function findByInvoiceStart(
  db: Db,
  { invoiceStart }: Question,
  named: readonly StopRow[],
  rows: number,
): Promise<readonly StopRow[] | undefined> {
  if (invoiceStart === null || named.some(({ matched }) => matched === 'invoice')) return [];
  const values = [invoiceStart, rows];
  return readWithin(db, INVOICE_START_MS, (tx) => find<StopRow>(tx, sql.findStopsByInvoiceStart, values));
}

/** Stops of customers come last, and each stop once. */
function withBegun(named: readonly StopRow[], begun: readonly StopRow[]): StopRow[] {
  const keyOf = ({ facility, route_id, week_end, stop_id }: StopRow): string =>
    [facility, route_id, week_end, stop_id].join('\t');
  const isOfCustomer = ({ matched }: StopRow): boolean => matched === 'customer';
  const ordered = [...named.filter((row) => !isOfCustomer(row)), ...begun, ...named.filter(isOfCustomer)];
  return [...new Map(ordered.toReversed().map((row) => [keyOf(row), row])).values()].toReversed();
}

const stopOf = ({ matched, ...row }: StopRow): FoundStop => ({ ...summaryOf(row), matched });

const fileStates = { L: 'awaited', R: 'here', M: 'missing' } as const;
const fileOf = ({ state, received_at, ...file }: FileRow): FoundFile => ({
  ...file,
  state: fileStates[state],
  received_at: received_at?.toISOString() ?? null,
});

const mutationOf = ({ received_at, ...change }: MutationRow): FoundMutation => ({
  ...change,
  received_at: received_at.toISOString(),
});

/** Operators: one field that finds everything. */
export function searchEndpoints(deps: SearchDeps) {
  return {
    search: endpoint(searchOperations.search, async ({ query }) => ({ data: await search(deps, query) })),
  };
}
