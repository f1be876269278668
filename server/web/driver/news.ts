import { useClient, useConflicts, useReview, useRoute } from '@tailgate/client-sdk/react';
import type { News } from './model/news.ts';
import { newsOf } from './model/news.ts';

/** The inbox of the signed-in driver, from the SDK's durable lists. */
export function useNews(): readonly News[] {
  const client = useClient();
  const [route, conflicts, review] = [useRoute(), useConflicts(), useReview()];
  const recordedAt = (id: string): number | undefined => {
    const state = client.receipt(id)?.current;
    return state && 'recordedAt' in state ? state.recordedAt : undefined;
  };
  return newsOf({ route, conflicts, review, recordedAt });
}
