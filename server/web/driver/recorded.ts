import type { Client, Receipt, Withdrawal } from '@tailgate/client-sdk';
import { createSignal } from '../ui/signal.ts';

/** How long a change waits on the phone, so that an undo takes it back before anything is sent; ms. */
export const undoWindow = 10_000;

export interface Recorded {
  readonly receipt: Receipt;
  readonly stop: number;
  readonly kind: 'delivered' | 'done' | 'skipped' | 'refused' | 'corrected' | 'closed';
  /** When the undo ends, by `performance.now()`: the SDK's window follows no change of the phone's clock either. */
  readonly until: number;
}

/** The latest change of this run that the driver may undo. */
export const lastRecorded = createSignal<Recorded | undefined>(undefined);

/** Takes note of a recorded change, which the driver may undo for a while. */
export function recorded(change: Omit<Recorded, 'until'>): void {
  lastRecorded.set({ ...change, until: performance.now() + undoWindow });
}

/** Takes the change back; the SDK returns the stop as it was filled in. `sent`: too late, a correction is the way. */
export async function undo(client: Client, { receipt }: Recorded): Promise<Withdrawal> {
  const result = await client.withdraw(receipt.id);
  lastRecorded.set(undefined);
  return result;
}
