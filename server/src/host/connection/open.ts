import type { Config } from '../../config.ts';
import { onlyCell } from '../../runtime/cell-name.ts';
import type { Log } from '../../runtime/log.ts';
import { laterColumns } from '../files/layout.ts';
import type { LibraryMap } from '../files/library-map.ts';
import { mapOfCell } from '../files/triggers.ts';
import type { Host } from '../host.ts';
import { openStandIn } from './postgres.ts';
import { serviceProgram } from '../files/standin-schema.ts';

export type HostTarget = Pick<Config, 'legacyUrl' | 'legacyLibrary'> & Partial<Pick<Config, 'legacyMap' | 'cell'>>;

/**
 * Connects to the host in the settings. @param databaseUrl the server's own PostgreSQL, which also contains the
 * stand-in's library where LEGACY_URL is unset @param program the connection's name on the host; every program but the
 * service reaches the doorbell @param user the user on the stand-in; on Db2 the connection's user counts
 */
export async function openHost(
  target: HostTarget,
  databaseUrl: string,
  log: Log,
  program?: string,
  user?: string,
): Promise<Host> {
  const { legacyUrl = databaseUrl, legacyLibrary: library, legacyMap, cell = onlyCell } = target;
  const map = mapOfCell(cell, legacyMap);
  const host = await connect({ legacyUrl, library, map }, log, program, user);
  try {
    return await withoutAbsent(host, log);
  } catch (error) {
    await host.close();
    throw error;
  }
}

interface Address {
  readonly legacyUrl: string;
  readonly library: string;
  readonly map: LibraryMap;
}

async function connect({ legacyUrl, library, map }: Address, log: Log, program?: string, user?: string): Promise<Host> {
  if (legacyUrl.startsWith('odbc:')) {
    const { openOdbcHost } = await import('../db2/open-odbc.ts');
    return openOdbcHost({ url: legacyUrl, library, log, map, program: program ?? serviceProgram });
  }
  if (isDb2(legacyUrl)) {
    // Loaded on demand: a machine without IBM's client never loads it.
    const { openDb2 } = await import('../db2/open-db2.ts');
    return openDb2({ url: legacyUrl, library, log, map, program: program ?? serviceProgram });
  }
  return openStandIn({ url: legacyUrl, library, log, user, map, ...(program === undefined ? {} : { program }) });
}

/**
 * A library of an earlier layout: no statement names the columns that it lacks, and the service goes on. It takes them into
 * use at its next start.
 */
async function withoutAbsent(host: Host, log: Log): Promise<Host> {
  const absent: string[] = [];
  for (const file of ['RTSTUP', 'PODRPLP'] as const) {
    const there = await host.describe(file);
    const isThere = (column: string): boolean =>
      there === undefined || there.some(({ name }) => name === host.map.ownName(column));
    const known: readonly string[] = laterColumns[file];
    absent.push(...host.map.stored(known).filter((column) => !isThere(column)));
  }
  if (absent.length === 0) return host;
  const columns = absent.join(', ');
  log.warn({ columns }, 'the library has an earlier layout (npm run host -- ddl --from): these columns stay empty');
  return { ...host, map: host.map.without(absent) };
}

/** Everything but a PostgreSQL address: `db2://…`, or a connection string of IBM's client. */
function isDb2(legacyUrl: string): boolean {
  return !/^postgres(ql)?:/.test(legacyUrl);
}
