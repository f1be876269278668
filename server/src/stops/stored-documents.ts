import type { StopPlan, StopResult } from '@tailgate/sync-protocol';

// The documents of a stop as the database has them. They are our own and were parsed before they were written:
// boundaries parse, interiors trust. A schema for each reading would double the cost of a batch.

export const readPlan: (doc: string) => StopPlan = JSON.parse;
export const readResult: (doc: string) => StopResult = JSON.parse;

/** Of a stop at which nobody has recorded anything. */
export const untouched: StopResult = { status: 'P' };
