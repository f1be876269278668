import type { Tx } from '../db/types.ts';
import { recordSignIns } from './sign-in-state.ts';
import { endSessionsOnDevice } from './sql.ts';

/**
 * Ends a driver's sessions on a device that is lost. A device is known by what it calls itself: where it, or a session, has
 * no name, the sessions without one end, too. One sign-in too many is asked for rather than one left to a stranger.
 */
export async function endDeviceSessions(
  tx: Tx,
  { employee, device }: { readonly employee: string; readonly device: string },
  now: Date,
): Promise<void> {
  await tx.query(endSessionsOnDevice, [employee, device, now]);
  await recordSignIns(tx, [employee], now);
}
