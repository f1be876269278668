import type { Log } from '../../../log.ts';
import type { Host, HostTransaction } from '../host.ts';
import { asColumn, asJob, columnsQuery, flavourOf, jobQuery } from './catalog.ts';
import { connectionString, type Db2Address } from './connection-string.ts';
import { Line } from './line.ts';
import { LinePool } from './line-pool.ts';
import { Unjournaled } from './unjournaled.ts';

export type Db2Options = Db2Address & {
  readonly log: Log;
  /** Connections, each a process of about 80 MB. */
  readonly size?: number;
};

/** Four lanes of routes, four of rows on their own, the import and somebody who asks for diagnostics. */
const CONNECTIONS = 10;

/** Connects to Db2 for i or Db2 LUW; the library and its files have to be there. @throws HostError */
export async function openDb2({ log, size = CONNECTIONS, ...address }: Db2Options): Promise<Host> {
  const text = connectionString(address);
  const { library } = address;
  const unjournaled = new Unjournaled((file) =>
    log.warn({ file }, 'the host does not journal this file: it is written without commitment control'),
  );
  const pool = new LinePool(() => Line.open(text, unjournaled), size);
  try {
    await pool.use(() => Promise.resolve());
  } catch (error) {
    await pool.close();
    throw error;
  }
  const describe: Host['describe'] = (file) =>
    pool.use(async (line) => {
      const rows = await line.query(columnsQuery(flavourOf(line.database)), [library, file]);
      return rows.length === 0 ? undefined : rows.map(asColumn);
    });
  return {
    dialect: 'db2',
    library,
    query: (sql, parameters) => pool.use((line) => line.query(sql, parameters)),
    transaction: (work) => pool.use((line) => within(line, work)),
    ping: async () => {
      const rows = await pool.use((line) => line.query(jobQuery(flavourOf(line.database))));
      const columns = await describe('RTSTUP');
      const comment = columns?.find(({ name }) => name === 'RUCMT');
      return asJob(rows[0], comment, library);
    },
    describe,
    close: () => pool.close(),
  };
}

async function within<T>(line: Line, work: (tx: HostTransaction) => Promise<T>): Promise<T> {
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
