import { useDraft } from '@tailgate/client-sdk/react';
import { useMemo } from 'react';
import type { StopDraft } from './model/draft.ts';
import { draftOf, storedDraft } from './model/draft.ts';
import { whileSaving } from './saving.ts';

export type ChangeDraft = (change: (before: StopDraft) => StopDraft) => void;

/** The half-filled stop of the driver's route, and the way to change it. The SDK keeps it; a kill loses nothing. */
export function useStopDraft(stop: number): readonly [StopDraft, ChangeDraft] {
  const [stored, set] = useDraft(stop);
  const draft = useMemo(() => draftOf(stored), [stored]);
  return [draft, (change) => void whileSaving({}, () => set(storedDraft(change(draft))))];
}
