import type { Log } from '../../runtime/log.ts';
import type { Host, HostTransaction } from '../host.ts';
import { asColumn, asJob, columnsQuery, flavourOf, jobQuery, lockWait, type Flavour } from './catalog.ts';
import { assertCodePage, databasePageQuery, PROBE, probeQuery } from './code-page.ts';
import { connectionString, type Db2Address } from './connection-string.ts';
import { Db2Connection } from './db2-connection.ts';
import { Db2ConnectionPool } from './db2-connection-pool.ts';
import { Unjournaled } from './unjournaled.ts';

export type Db2Options = Db2Address & {
  readonly log: Log;
  /** Connections, each a process of about 80 MB. */
  readonly size?: number;
};

/** Four lanes of routes, twelve routes that wait for locks, four lanes of rows on their own, the import, diagnostics. */
const CONNECTIONS = 22;

/** Connects to Db2 for i or Db2 LUW; the library and its files have to be there. @throws HostError */
export async function openDb2({ log, size = CONNECTIONS, ...address }: Db2Options): Promise<Host> {
  const text = connectionString(address);
  const { library } = address;
  const unjournaled = new Unjournaled((file) =>
    log.warn({ file }, 'the host does not journal this file: it is written without commitment control'),
  );
  const pool = new Db2ConnectionPool(() => openLine(text, unjournaled), size);
  const dialect = await familyBehind(pool);
  const describe: Host['describe'] = (file) =>
    pool.use(async (line) => {
      const rows = await line.query(columnsQuery(dialect), [library, file]);
      return rows.length === 0 ? undefined : rows.map(asColumn);
    });
  return {
    dialect,
    library,
    query: (sql, parameters) => pool.use((line) => line.query(sql, parameters)),
    transaction: (work) => pool.use((line) => within(line, work)),
    ping: async () => {
      const rows = await pool.use((line) => line.query(jobQuery(dialect)));
      const columns = await describe('RTSTUP');
      const comment = columns?.find(({ name }) => name === 'RUCMT');
      return asJob(rows[0], comment, library);
    },
    describe,
    close: () => pool.close(),
  };
}

/** By the first connection, which shows that the address and the password are right. @throws HostError */
async function familyBehind(pool: Db2ConnectionPool): Promise<Flavour> {
  try {
    return await pool.use((line) => Promise.resolve(flavourOf(line.database)));
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** A connection as the service works on it. @throws HostError */
async function openLine(text: string, unjournaled: Unjournaled): Promise<Db2Connection> {
  const line = await Db2Connection.open(text, unjournaled);
  try {
    const flavour = flavourOf(line.database);
    for (const statement of lockWait(flavour, text)) await line.execute(statement);
    const [probe] = await line.query(probeQuery(flavour), [PROBE]);
    await assertCodePage(flavour, String(probe?.['HEX']), async () => {
      const [column] = await line.query(databasePageQuery);
      return Number(column?.['CODEPAGE']);
    });
    return line;
  } catch (error) {
    await line.end();
    throw error;
  }
}

async function within<T>(line: Db2Connection, work: (tx: HostTransaction) => Promise<T>): Promise<T> {
  await line.begin();
  let result: T;
  try {
    result = await work(line);
  } catch (error) {
    await line.rollback();
    throw error;
  }
  await line.commit();
  return result;
}
