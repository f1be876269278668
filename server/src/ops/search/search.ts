import type { Db, Queryable, Statement } from '../../db/types.ts';
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
  const stops = await findStops(db, question, customers.slice(0, limit), limit + 1);
  const found = { stops, routes, customers, drivers, files, mutations: changes };
  return {
    stops: stops.slice(0, limit).map(stopOf),
    routes: routes.slice(0, limit),
    customers: customers.slice(0, limit),
    drivers: drivers.slice(0, limit),
    files: files.slice(0, limit).map(fileOf),
    mutations: changes.slice(0, limit).map(mutationOf),
    more: kinds.filter((kind) => found[kind].length > limit),
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
  { stop, invoices, invoiceStart, trace }: Question,
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
    invoiceStart,
    trace,
    ABOVE,
    rows,
  ]);
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
