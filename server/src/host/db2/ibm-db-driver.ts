import type { HostValue } from '../files/columns.ts';
import type { HostRow } from '../host.ts';
import { asParameters, asRows } from './addon-values.ts';
import type { DriverConnection } from './driver.ts';
import { loadIbmDb, type AddonConnection, type AddonStatement } from './ibm-db.ts';
import { StatementCache } from './statement-cache.ts';

/** SQL_ATTR_QUERY_TIMEOUT of the CLI, in seconds. */
const QUERY_TIMEOUT = 0;
const DBMS_NAME = 17;

/** Opens a connection by `ibm_db`. @throws errors of Node and the addon */
export async function openIbmDb(text: string, statementSeconds: number): Promise<DriverConnection> {
  const connection = await loadIbmDb().open(text);
  return new IbmDbConnection(connection, statementSeconds);
}

class IbmDbConnection implements DriverConnection {
  readonly #connection: AddonConnection;
  readonly #statements: StatementCache<AddonStatement>;
  readonly database: string;

  constructor(connection: AddonConnection, statementSeconds: number) {
    this.#connection = connection;
    this.#statements = new StatementCache(async (sql) => {
      const statement = await connection.prepare(sql);
      statement.setAttrSync(QUERY_TIMEOUT, statementSeconds);
      return statement;
    });
    this.database = String(connection.getInfoSync(DBMS_NAME));
  }

  query(sql: string, parameters: readonly HostValue[]): Promise<HostRow[]> {
    return this.#statements.use(sql, (statement) => rowsOf(statement, asParameters(parameters)));
  }

  execute(sql: string, parameters: readonly HostValue[]): Promise<number> {
    return this.#statements.use(sql, (statement) => statement.executeNonQuery(asParameters(parameters)));
  }

  async begin(): Promise<void> {
    this.#connection.beginTransactionSync();
  }

  async commit(): Promise<void> {
    this.#connection.commitTransactionSync();
  }

  async rollback(): Promise<void> {
    this.#connection.rollbackTransactionSync();
  }
}

async function rowsOf(statement: AddonStatement, parameters: ReturnType<typeof asParameters>): Promise<HostRow[]> {
  const result = await statement.execute(parameters);
  try {
    const columns = result.getColumnMetadataSync();
    return columns.length === 0 ? [] : asRows(columns, await result.fetchAll());
  } finally {
    await result.close();
  }
}
