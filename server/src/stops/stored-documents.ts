import type { StopPlan, StopResult } from '@tailgate/sync-protocol';

// The documents of a stop as the database stores them. The service parsed them before it wrote them, so they are
// trusted here. A schema for each read would double the cost of a batch.

export const readPlan: (doc: string) => StopPlan = JSON.parse;
export const readResult: (doc: string) => StopResult = JSON.parse;

/** The result of a stop without any recorded work. */
export const untouched: StopResult = { status: 'P' };
