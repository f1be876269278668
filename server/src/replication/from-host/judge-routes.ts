import { setTimeout as pause } from 'node:timers/promises';
import type { RouteKey } from '@tailgate/sync-protocol';
import type { Log } from '../../runtime/log.ts';
import type { HostImport } from './import.ts';

/** The wait for a route that another worker has, or for another node that imports. */
const AGAIN_MS = 500;

/**
 * Compares everything with the host, and each route of `isDue` again until it is judged: another process may have its lease, or the import.
 *
 * @returns false where the server stops before @throws HostError
 */
export async function judgeRoutes(
  imports: Pick<HostImport, 'findDrift' | 'compareRoutes' | 'importNow'>,
  isDue: (key: RouteKey) => boolean,
  { isStopped, log }: { readonly isStopped: () => boolean; readonly log: Log },
): Promise<boolean> {
  let isReported = false;
  let drift = await imports.findDrift('everything');
  for (;;) {
    const left = drift.unjudged.filter(isDue);
    if (drift.isBegun && left.length === 0) return true;
    if (isStopped()) return false;
    if (!isReported) log.info({ routes: left.length }, 'routes are compared again: another process is at them');
    isReported = true;
    await pause(AGAIN_MS);
    // Without a doorbell a route with changes is judged after their import.
    if (drift.isBegun) await imports.importNow();
    drift = drift.isBegun ? await imports.compareRoutes(left) : await imports.findDrift('everything');
  }
}
