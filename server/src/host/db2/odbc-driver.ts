import { createRequire } from 'node:module';
import * as z from 'zod/mini';
import { db2StateOf } from '../connection/postgres-states.ts';
import type { HostValue } from '../files/columns.ts';
import type { HostRow } from '../host.ts';
import { asRows } from './addon-values.ts';
import type { DriverConnection } from './driver.ts';

// The used part of the npm package `odbc` (2.6.0): the system's ODBC manager, and by it IBM i Access and others.

interface OdbcColumn {
  readonly name: string;
  /** ODBC's number of the type. */
  readonly dataType: number;
  readonly columnSize: number;
  readonly decimalDigits: number;
}

type OdbcRow = Readonly<Record<string, unknown>>;
type OdbcResult = readonly OdbcRow[] & { readonly count: number; readonly columns: readonly OdbcColumn[] };

interface OdbcConnection {
  query(
    sql: string,
    parameters: readonly (string | null | Buffer)[],
    options: { readonly timeout: number },
  ): Promise<OdbcResult>;
  beginTransaction(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

interface Odbc {
  connect(options: { readonly connectionString: string; readonly loginTimeout: number }): Promise<OdbcConnection>;
}

const LOGIN_SECONDS = 5;

/** Opens a connection by `odbc`. @throws errors of Node and the addon */
export async function openOdbc(text: string, statementSeconds: number): Promise<DriverConnection> {
  const odbc = loadOdbc();
  const connection = await odbc
    .connect({ connectionString: text, loginTimeout: LOGIN_SECONDS })
    .catch((error: unknown) => Promise.reject(openingFailureOf(error)));
  const database = await nameOf(connection);
  return driven(connection, database, statementSeconds);
}

const missing =
  'LEGACY_URL names ODBC, and the package odbc is not installed: npm install odbc@2.6.0 in a folder of its own, ' +
  'and NODE_PATH=that folder/node_modules (docs/db2.md)';

function loadOdbc(): Odbc {
  const load: (name: string) => Odbc = createRequire(import.meta.url);
  try {
    return load('odbc');
  } catch (cause) {
    throw Object.assign(new Error(missing, { cause }), { sqlstate: '42724' });
  }
}

/** The package has no SQLGetInfo: the first catalog that answers names the family. */
const CATALOGS = [
  ['AS', 'select 1 as FOUND from QSYS2.SYSSCHEMAS where 1 = 0'],
  ['DB2/ODBC', 'select 1 as FOUND from SYSCAT.SCHEMATA where 1 = 0'],
  ['PostgreSQL', 'select 1 as FOUND from pg_catalog.pg_namespace where 1 = 0'],
] as const;

async function nameOf(connection: OdbcConnection): Promise<string> {
  let failure: unknown;
  for (const [name, sql] of CATALOGS) {
    try {
      await connection.query(sql, [], { timeout: LOGIN_SECONDS });
      return name;
    } catch (error) {
      failure = error;
    }
  }
  throw failureOf(failure, false);
}

function driven(connection: OdbcConnection, database: string, timeout: number): DriverConnection {
  const isPostgres = database === 'PostgreSQL';
  const known = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((error: unknown) => Promise.reject(failureOf(error, isPostgres)));
  const run = (sql: string, parameters: readonly HostValue[]) => known(connection.query(sql, parameters, { timeout }));
  return {
    database,
    query: async (sql, parameters) => rowsOf(await run(sql, parameters)),
    execute: async (sql, parameters) => Math.max(0, (await run(sql, parameters)).count),
    begin: () => known(connection.beginTransaction()),
    commit: () => known(connection.commit()),
    rollback: () => known(connection.rollback()),
  };
}

function rowsOf(result: OdbcResult): HostRow[] {
  const columns = result.columns.map(({ name, dataType, columnSize, decimalDigits }) => ({
    SQL_DESC_NAME: name.toUpperCase(),
    SQL_DESC_CONSIZE_TYPE: dataType,
    SQL_DESC_PRECISION: columnSize,
    SQL_DESC_SCALE: decimalDigits,
  }));
  const rows = result.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toUpperCase(), plain(value)])),
  );
  return asRows(columns, rows);
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof ArrayBuffer ? Buffer.from(value) : value;
}

/** The shape of an error in `odbcErrors`; every driver fills it. */
const odbcError = z.object({ state: z.string(), code: z.number(), message: z.string() });
const odbcFailure = z.object({ odbcErrors: z.array(odbcError).check(z.minLength(1)) });

/** An error of the addon carries those of the driver as a list; the first one is the cause. */
function failureOf(error: unknown, isPostgres: boolean): Error {
  const [first] = odbcFailure.safeParse(error).data?.odbcErrors ?? [];
  if (!first) return error instanceof Error ? error : new Error(String(error));
  const { state, code, message } = first;
  const known = isPostgres ? db2StateOf(state) : { sqlstate: state, sqlcode: code < 0 ? code : undefined };
  return Object.assign(new Error(message, { cause: error }), known);
}

/** States of the ODBC manager: it cannot load the driver, or knows no data source of that name. */
const NO_DRIVER = new Set(['01000', 'IM002', 'IM003', 'IM004']);

/** Without its driver a host is not set up: no retry helps. */
function openingFailureOf(error: unknown): Error {
  const failure = failureOf(error, false);
  const hasNoDriver = 'sqlstate' in failure && typeof failure.sqlstate === 'string' && NO_DRIVER.has(failure.sqlstate);
  return hasNoDriver ? Object.assign(failure, { sqlstate: '42724' }) : failure;
}
