import type { Log } from '../runtime/log.ts';
import { StartError } from '../runtime/start-error.ts';
import { ensureEpoch } from './epoch.ts';
import type { Listener } from './listen.ts';
import { epochChannel } from './notify-sql.ts';
import type { Queryable } from './types.ts';

/** The pause between two tries while the database accepts connections but no queries. */
const AGAIN_MS = 1_000;

/**
 * Reports when the database is no longer the one of this server's start (I9): after a fail-over, a restore, or an
 * operator's announcement. A fail-over and a restore break connections, so each reconnect of the LISTEN session reads
 * the epoch. An announcement comes as a notification. Work of the old epoch must not continue.
 * @returns a function that stops the watch
 */
export async function watchEpoch(
  { db, listener, log }: { db: Queryable; listener: Pick<Listener, 'onNotify' | 'onReconnect'>; log: Log },
  startedIn: number,
  ended: (why: StartError) => void,
): Promise<() => void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const check = async (): Promise<void> => {
    clearTimeout(timer);
    if (stopped) return;
    try {
      const epoch = await ensureEpoch(db);
      if (epoch !== startedIn)
        ended(new StartError(`this database lives epoch ${epoch}, and this server belongs to epoch ${startedIn}`));
    } catch (error) {
      if (error instanceof StartError) return ended(error);
      log.warn({ err: error }, 'the database’s history cannot be read; it is tried again');
      if (!stopped) timer = setTimeout(() => void check(), AGAIN_MS);
    }
  };
  listener.onReconnect(() => void check());
  await listener.onNotify(epochChannel, () => void check());
  // Covers a change between the start and this moment.
  await check();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
