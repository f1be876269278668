import type { Config } from '../config.ts';
import type { Log } from '../runtime/log.ts';
import type { Shutdown } from '../runtime/shutdown.ts';
import type { StartError } from '../runtime/start-error.ts';
import { openEmbedded } from './embedded.ts';

export interface Database {
  url: string;
  listenUrl: string;
  /** The place of the data, for the log line at start. */
  place: string;
}

/** The database of DATABASE_URL, or an embedded one, which `onLost` reports as gone. */
export async function openDatabase(
  config: Config,
  log: Log,
  shutdown: Shutdown,
  onLost: (why: StartError) => void,
): Promise<Database> {
  const { databaseUrl, databaseListenUrl, dataDir, role } = config;
  if (databaseUrl !== undefined) {
    return { url: databaseUrl, listenUrl: databaseListenUrl ?? databaseUrl, place: 'as DATABASE_URL says' };
  }
  const embedded = await openEmbedded(dataDir, {
    log,
    name: `Tailgate (process ${process.pid})`,
    parts: role === 'all' ? ['api', 'worker'] : [role],
    stopping: shutdown.stopping,
    onLost,
  });
  shutdown.add('embedded PostgreSQL', () => embedded.stop());
  return { url: embedded.url, listenUrl: databaseListenUrl ?? embedded.url, place: embedded.place };
}
