import type { Tx } from '../db/types.ts';
import { recordSignIns } from './sign-in-state.ts';
import { endSessionsOnDevice } from './sql.ts';

/**
 * Ends a driver's sessions on a lost device, by the name that the device reports. If the device or a session has no
 * name, nameless sessions end as well: an extra sign-in is better than a session left to a stranger.
 */
export async function endDeviceSessions(
  tx: Tx,
  { employee, device }: { readonly employee: string; readonly device: string },
  now: Date,
): Promise<void> {
  await tx.query(endSessionsOnDevice, [employee, device, now]);
  await recordSignIns(tx, [employee], now);
}
