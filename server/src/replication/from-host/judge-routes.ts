import { setTimeout as pause } from 'node:timers/promises';
import type { RouteKey } from '@tailgate/sync-protocol';
import type { Log } from '../../runtime/log.ts';
import { StartError } from '../../runtime/start-error.ts';
import type { UnreadableRoute } from './drift.ts';
import type { HostImport } from './import.ts';

/** The waits for a route that another worker has, for another node that imports, or after an internal error of the host. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

export interface JudgeOptions {
  /** The other routes may stay as they are. */
  readonly isDue: (key: RouteKey) => boolean;
  readonly stopping: AbortSignal;
  readonly log: Log;
}

/**
 * Compares everything with the host, and each due route again until it is judged: another process may have its lease, or the
 * import.
 *
 * @throws StartError where a due route needs a file that cannot be read @throws HostError @throws the reason of the stop
 */
export async function judgeRoutes(
  imports: Pick<HostImport, 'findDrift' | 'compareRoutes' | 'importNow'>,
  { isDue, stopping, log }: JudgeOptions,
): Promise<void> {
  let drift = await imports.findDrift('everything');
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    // Waiting would keep phones out until a person acts, and the person learns of it by this error alone.
    const unreadable = drift.unreadable.find(({ key }) => isDue(key));
    if (unreadable) throw refusalOf(unreadable);
    const left = drift.unjudged.filter(isDue);
    if (drift.isBegun && left.length === 0) return;
    if (waitMs === FIRST_WAIT_MS) log.info({ routes: left.length }, 'routes are compared again until all are judged');
    await pause(waitMs, undefined, { signal: stopping }).catch(() => stopping.throwIfAborted());
    // Without a doorbell a route with changes is judged after their import.
    if (drift.isBegun) await imports.importNow();
    drift = drift.isBegun ? await imports.compareRoutes(left) : await imports.findDrift('everything');
  }
}

function refusalOf({ key: { facility, id, week_end: week }, error }: UnreadableRoute): StartError {
  const { file, message } = error;
  return new StartError(
    `LEGACY_MODE stays as it was: route ${id} of facility ${facility}, week ${week}, needs ${file}, which cannot be read (${message}).`,
    { cause: error },
  );
}
