import type { Client, Receipt, Withdrawal } from '@tailgate/client-sdk';
import { gateFault } from '../ui/gate-fault.ts';
import { createSignal } from '../ui/signal.ts';
import { undoWindow } from './phone-client.ts';
import { refusalSentence } from './words/faults.ts';

export interface Recorded {
  readonly receipt: Receipt;
  readonly stop: number;
  readonly kind: 'delivered' | 'done' | 'skipped' | 'refused' | 'corrected' | 'closed';
  /** When the undo ends, by `performance.now()`: the SDK's window follows no change of the phone's clock either. */
  readonly until: number;
  /** The undo came too late: the bar says that a correction is the way. */
  readonly isSent?: true;
}

/** The latest change of this run that the driver may undo. */
export const lastRecorded = createSignal<Recorded | undefined>(undefined);

/** Takes note of a recorded change, which the driver may undo for a while. */
export function recorded(change: Omit<Recorded, 'until' | 'isSent'>): void {
  lastRecorded.set({ ...change, until: performance.now() + undoWindow });
}

/**
 * Records a change, which the driver may undo for a while. The gate of the screen names a value that the SDK refuses.
 *
 * @returns false where nothing is recorded: the screen stays open for the value
 */
export function record(change: Pick<Recorded, 'stop' | 'kind'>, make: () => Receipt): boolean {
  try {
    recorded({ receipt: make(), ...change });
  } catch (error) {
    gateFault.set(refusalSentence(error));
    return false;
  }
  gateFault.set(undefined);
  return true;
}

/** Takes the change back; the SDK returns the stop as it was filled in. `sent`: too late, a correction is the way. */
export async function undo(client: Pick<Client, 'withdraw'>, last: Recorded): Promise<Withdrawal> {
  const result = await client.withdraw(last.receipt.id);
  const isSent = result === 'sent';
  lastRecorded.set(isSent ? { ...last, isSent, until: performance.now() + undoWindow } : undefined);
  return result;
}
