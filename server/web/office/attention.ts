import { createContext, useContext } from 'react';
import type { DataOf } from './api/operations.ts';
import type { Reading } from './api/reads.ts';

export type Attention = DataOf<'readAttention'>;
export type Cause = Attention['causes'][number];
export type CauseItem = Cause['items'][number];

/** The list of work for a person: the frame of the pages reads it, for its mark in the navigation. */
export const AttentionContext = createContext<Reading<Attention>>({
  data: undefined,
  fault: undefined,
  isFresh: false,
});

export const useAttention = (): Reading<Attention> => useContext(AttentionContext);
