import type { Log } from '../../runtime/log.ts';
import type { Dialect } from '../files/dialect.ts';
import { plainMap, type LibraryMap } from '../files/library-map.ts';
import { HostError, type Host } from '../host.ts';
import { db2DialectOf } from './catalog.ts';
import { Db2ConnectionPool } from './db2-connection-pool.ts';
import { Db2Connection } from './db2-connection.ts';
import { assertPage, hostOn } from './open-db2.ts';
import { Unjournaled } from './unjournaled.ts';

export interface OdbcOptions {
  /** `odbc:` and a connection string of the ODBC manager. */
  readonly url: string;
  readonly library: string;
  /** The name by which the host's triggers recognize the service. */
  readonly program: string;
  readonly log: Log;
  /** Connections, each a process. */
  readonly size?: number;
  /** The library's own names. */
  readonly map?: LibraryMap | undefined;
}

/** As many as by `ibm_db`. */
const CONNECTIONS = 22;

/** Connects to a host by the npm package `odbc`; the library and its files must exist. @throws HostError */
export async function openOdbcHost(options: OdbcOptions): Promise<Host> {
  const { url, library, program, log, size = CONNECTIONS, map = plainMap } = options;
  const text = url.slice('odbc:'.length);
  const unjournaled = new Unjournaled((file) =>
    log.warn({ file }, 'the host does not journal this file: it is written without commitment control'),
  );
  const pool = new Db2ConnectionPool(() => openConnection(text, { library, program, unjournaled, map }), size);
  try {
    const dialect = await pool.use((connection) => Promise.resolve(dialectOf(connection)));
    return hostOn(pool, { dialect, library, map, unjournaled });
  } catch (error) {
    await pool.close();
    throw error;
  }
}

const dialectOf = ({ database }: Db2Connection): Dialect =>
  database === 'PostgreSQL' ? 'postgres' : db2DialectOf(database);

type Session = Pick<OdbcOptions, 'library' | 'program'> & {
  readonly unjournaled: Unjournaled;
  readonly map: LibraryMap;
};

async function openConnection(text: string, { unjournaled, map, ...session }: Session): Promise<Db2Connection> {
  const connection = await Db2Connection.open(text, unjournaled, 'odbc');
  try {
    const dialect = dialectOf(connection);
    for (const [sql, ...values] of settings[dialect](session)) await connection.query(sql, values);
    if (dialect !== 'postgres') await assertPage(connection, dialect, map.ccsid);
    return connection;
  } catch (error) {
    await connection.end();
    throw error;
  }
}

/** The keywords of `ibm_db` for library and program are not ODBC's: statements set both. */
const settings: {
  readonly [dialect in Dialect]: (
    session: Pick<OdbcOptions, 'library' | 'program'>,
  ) => readonly (readonly [sql: string, ...values: string[]])[];
} = {
  db2i: ({ library, program }) => [[`set schema ${named(library)}`], [clientInfo, program]],
  db2: ({ library, program }) => [
    [`set schema ${named(library)}`],
    [clientInfo, program],
    ['set current lock timeout 3'],
  ],
  postgres: ({ library, program }) => [
    [`select set_config('search_path', lower(?), false) as a`, library],
    [`select set_config('application_name', ?, false) as a`, program],
    [`select set_config('lock_timeout', '3s', false) as a`],
  ],
};

const clientInfo = 'call SYSPROC.WLM_SET_CLIENT_INFO(null, null, ?, null, null)';

function named(library: string): string {
  if (/^[A-Z][A-Z0-9_]{0,9}$/i.test(library)) return library;
  throw new HostError('42705', `${library} is no name of a library`);
}
