import type { Log } from '../../runtime/log.ts';
import {
  asStandInColumns,
  asStandInJob,
  standInColumnsQuery,
  standInJobQuery,
} from '../connection/postgres-catalog.ts';
import type { Dialect } from '../files/dialect.ts';
import type { Ccsid } from '../files/ccsid.ts';
import { plainMap, type LibraryMap } from '../files/library-map.ts';
import type { Host, HostRow, HostTransaction } from '../host.ts';
import { asColumn, asJob, columnsQuery, db2DialectOf, jobQuery, lockWait, type Db2Dialect } from './catalog.ts';
import { assertCodePage, databasePageQuery, PROBE, probeQuery } from './code-page.ts';
import { connectionString, type Db2Address } from './connection-string.ts';
import { Db2Connection } from './db2-connection.ts';
import { Db2ConnectionPool } from './db2-connection-pool.ts';
import { Unjournaled } from './unjournaled.ts';

export type Db2Options = Db2Address & {
  readonly log: Log;
  /** Connections, each a process of about 80 MB. */
  readonly size?: number;
  /** The library's own names. */
  readonly map?: LibraryMap | undefined;
};

/** Four lanes of routes, twelve routes that wait for locks, four lanes of rows on their own, the import, diagnostics. */
const CONNECTIONS = 22;

/** Connects to Db2 for i or Db2 LUW by `ibm_db`; the library and its files must exist. @throws HostError */
export async function openDb2({ log, size = CONNECTIONS, map = plainMap, ...address }: Db2Options): Promise<Host> {
  const text = connectionString(address);
  const { library } = address;
  const unjournaled = new Unjournaled((file) =>
    log.warn({ file }, 'the host does not journal this file: it is written without commitment control'),
  );
  const pool = new Db2ConnectionPool(() => openConnection(text, unjournaled, map.ccsid), size);
  const dialect = await familyBehind(pool);
  return hostOn(pool, { dialect, library, map, unjournaled });
}

/** Reads the family from the first connection, which also proves address and password. @throws HostError */
async function familyBehind(pool: Db2ConnectionPool): Promise<Db2Dialect> {
  try {
    return await pool.use((connection) => Promise.resolve(db2DialectOf(connection.database)));
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** Opens a connection with the service's settings. @throws HostError */
async function openConnection(text: string, unjournaled: Unjournaled, ccsid: Ccsid): Promise<Db2Connection> {
  const connection = await Db2Connection.open(text, unjournaled);
  try {
    const dialect = db2DialectOf(connection.database);
    for (const statement of lockWait(dialect, text)) await connection.execute(statement);
    await assertPage(connection, dialect, ccsid);
    return connection;
  } catch (error) {
    await connection.end();
    throw error;
  }
}

/** @throws HostError where letters reach the host as other bytes */
export async function assertPage(connection: Db2Connection, dialect: Db2Dialect, ccsid: Ccsid): Promise<void> {
  const [probe] = await connection.query(probeQuery(dialect, ccsid), [PROBE]);
  const databasePage = async () => {
    const [column] = await connection.query(databasePageQuery);
    return Number(column?.['CODEPAGE']);
  };
  await assertCodePage(dialect, String(probe?.['HEX']), databasePage, ccsid);
}

export interface PooledHost {
  readonly dialect: Dialect;
  readonly library: string;
  readonly map: LibraryMap;
  readonly unjournaled: Unjournaled;
}

/** A host whose connections are processes. */
export function hostOn(pool: Db2ConnectionPool, { dialect, library, map, unjournaled }: PooledHost): Host {
  const describe: Host['describe'] = (file) =>
    pool.use(async (connection) => {
      const place = [library, map.table(file)];
      if (dialect === 'postgres')
        return asStandInColumns(map.file(file), await connection.query(standInColumnsQuery, place));
      const rows = await connection.query(columnsQuery(dialect), place);
      return rows.length === 0 ? undefined : rows.map(asColumn);
    });
  return {
    dialect,
    library,
    map,
    query: (sql, parameters) => pool.use((connection) => decoded(map, connection.query(sql, parameters))),
    transaction: (work) => pool.use((connection) => within(connection, map, work)),
    isAtomic: () => unjournaled.isEmpty,
    ping: async () => {
      if (dialect === 'postgres')
        return asStandInJob(await pool.use((connection) => connection.query(standInJobQuery)), library);
      const rows = await pool.use((connection) => connection.query(jobQuery(dialect)));
      const columns = await describe('RTSTUP');
      const comment = columns?.find(({ name }) => name === map.ownName('RUCMT'));
      return asJob(rows[0], comment, library);
    },
    describe,
    close: () => pool.close(),
  };
}

async function within<T>(
  connection: Db2Connection,
  map: LibraryMap,
  work: (tx: HostTransaction) => Promise<T>,
): Promise<T> {
  await connection.begin();
  let result: T;
  try {
    result = await work({
      query: (sql, parameters) => decoded(map, connection.query(sql, parameters)),
      execute: (sql, parameters) => connection.execute(sql, parameters),
    });
  } catch (error) {
    await connection.rollback();
    throw error;
  }
  await connection.commit();
  return result;
}

async function decoded(map: LibraryMap, rows: Promise<HostRow[]>): Promise<HostRow[]> {
  return (await rows).map((row) => map.decoded(row));
}
