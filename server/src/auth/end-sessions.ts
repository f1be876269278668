import type { Tx } from '../db/types.ts';
import * as sql from './sql.ts';

/** Ends every session of some employees, and notifies all nodes at the commit. */
export async function endSessions(tx: Tx, employees: readonly string[], now: Date, reason: string): Promise<void> {
  await tx.query(sql.endSessions, [employees, now, reason]);
  await tx.query(sql.notifySessions, [employees.join(' ')]);
}

/** The same for one driver's sessions on one device; nameless sessions count as on it. @returns their number */
export async function endSessionsOnDevice(tx: Tx, employee: string, device: string, now: Date): Promise<number> {
  const { rowCount } = await tx.query(sql.endSessionsOnDevice, [employee, device, now]);
  await tx.query(sql.notifySessions, [employee]);
  return rowCount ?? 0;
}
