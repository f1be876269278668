import type { Client, Receipt, Withdrawal } from '@tailgate/client-sdk';
import { gateFault } from '../ui/gate-fault.ts';
import { createSignal } from '../ui/signal.ts';
import { draftOf } from './model/draft.ts';
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
  /** Photos that were stored after the stop was finished, each recorded as a change of its own. */
  readonly late?: readonly { readonly change: string; readonly photo: string }[];
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

/** Takes note of a photo that was stored late: the undo of its stop takes it back, too. */
export function recordedLate(stop: number, receipt: Receipt, photo: string): void {
  const last = lastRecorded.current;
  if (last?.stop !== stop || last.kind === 'corrected') return;
  lastRecorded.set({ ...last, late: [...(last.late ?? []), { change: receipt.id, photo }] });
}

/** Undos in progress, by the id of their change. */
const undos = new Map<string, Promise<Withdrawal>>();

/**
 * Takes the change back; the SDK returns the stop as it was filled in. `sent`: too late, a correction is the way. A
 * second tap joins the undo in progress: it must not take the returned draft for one that was entered since.
 */
export function undo(client: Pick<Client, 'stop' | 'withdraw'>, last: Recorded): Promise<Withdrawal> {
  const { id } = last.receipt;
  const run = undos.get(id) ?? takeBack(client, last).finally(() => undos.delete(id));
  undos.set(id, run);
  return run;
}

async function takeBack(client: Pick<Client, 'stop' | 'withdraw'>, last: Recorded): Promise<Withdrawal> {
  const { draft } = client.stop(last.stop);
  // Such as a name at the delivered stop, not recorded: it goes with that record, and the delivery's draft returns only
  // where no other one is. At a skipped stop it is a delivery that has begun.
  const entered = last.kind === 'delivered' || last.kind === 'done' ? draft.current : undefined;
  // The draft goes before the change does; on a full phone both wait.
  const cleared = entered === undefined ? undefined : draft.set(undefined);
  const [result] = await Promise.all([client.withdraw(last.receipt.id), cleared]);
  const isSent = result === 'sent';
  lastRecorded.set(isSent ? { ...last, isSent, until: performance.now() + undoWindow } : undefined);
  if (result === 'withdrawn') await takeBackLate(client, last);
  else if (entered !== undefined) await draft.set(entered);
  return result;
}

/** Late photos return to the draft of their stop, so that its next record names each once. */
async function takeBackLate(client: Pick<Client, 'stop' | 'withdraw'>, { stop, late = [] }: Recorded): Promise<void> {
  const { draft } = client.stop(stop);
  for (const { change, photo } of late) {
    if ((await client.withdraw(change)) !== 'withdrawn') continue;
    const back = draftOf(draft.current);
    await draft.set({ ...back, photos: [...new Set([...back.photos, photo])] });
  }
}
