import type { Log } from '../runtime/log.ts';
import { StartError } from '../runtime/start-error.ts';
import { ensureEpoch, epochChannel } from './epoch.ts';
import type { Listener } from './listen.ts';
import type { Queryable } from './types.ts';

/** Between two tries where the database takes connections and no question yet. */
const AGAIN_MS = 1_000;

/**
 * Tells when the database under a running server is not the one that it started on (I9): failed over, restored, or made
 * known as such meanwhile. A fail-over and a restore break connections, so that whenever the LISTEN session is back is the
 * time to look; an operator's word breaks none and is notified. What was started on the old numbers must not go on.
 * @returns the way to stop looking
 */
export async function watchEpoch(
  { db, listener, log }: { db: Queryable; listener: Pick<Listener, 'onNotify' | 'onReconnect'>; log: Log },
  startedIn: number,
  ended: (why: StartError) => void,
): Promise<() => void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    if (stopped) return;
    try {
      const epoch = await ensureEpoch(db);
      if (epoch !== startedIn)
        ended(new StartError(`this database lives epoch ${epoch}, and this server belongs to epoch ${startedIn}`));
    } catch (error) {
      if (error instanceof StartError) return ended(error);
      log.warn({ err: error }, 'the database’s history cannot be read; it is tried again');
      if (!stopped) timer = setTimeout(() => void look(), AGAIN_MS);
    }
  };
  listener.onReconnect(() => void look());
  await listener.onNotify(epochChannel, () => void look());
  // Between our start and this moment nobody would have told us.
  await look();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
