import type { Config } from '../../config.ts';
import { onlyCell } from '../../runtime/cell-name.ts';
import type { Log } from '../../runtime/log.ts';
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

/** Everything but a PostgreSQL address: `db2://…`, or a connection string of IBM's client. */
function isDb2(legacyUrl: string): boolean {
  return !/^postgres(ql)?:/.test(legacyUrl);
}
