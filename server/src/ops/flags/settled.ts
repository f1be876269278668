/** The batch of a flag has committed by then, so no flag comes before the ones that a person has read. */
const SETTLED_MS = 10_000;

/** The latest receipt of a flag that a person can read, and have read, now. */
export const settledAt = (now: Date): Date => new Date(now.getTime() - SETTLED_MS);
