import { createSignal } from '../ui/signal.ts';

/** A write that the phone's disk has not confirmed: a photo or a draft, and the stop that it changes later, where there is one. */
export interface Write {
  readonly stop?: number | undefined;
}

/** Writes under way. None of them survives a kill yet. */
export const saving = createSignal<readonly Write[]>([]);

/** Counts the work as a write until it ends. */
export async function whileSaving<Result>(write: Write, work: () => Promise<Result>): Promise<Result> {
  const own = { ...write };
  saving.set([...saving.current, own]);
  try {
    return await work();
  } finally {
    saving.set(saving.current.filter((each) => each !== own));
  }
}

/** A photo that could not be stored, and that its sheet may not show any more. */
export interface LostPhoto {
  /** undefined for a photo of the load. */
  readonly stop: number | undefined;
  /** A sentence for the driver. */
  readonly why: string;
}

/** The latest lost photo of this run, until the driver opens the photos of its stop. */
export const lostPhoto = createSignal<LostPhoto | undefined>(undefined);
