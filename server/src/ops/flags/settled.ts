/**
 * The batch of a flag has committed by then, but for a PostgreSQL that hangs: so none comes before the ones that a person has
 * read. One that does stays in the list and at its stop; attention does not count it. So does a change that was released
 * from quarantine, which keeps its receipt: its warnings are in the answer to the one who releases it.
 */
const SETTLED_MS = 10_000;

/** The latest receipt of a flag that a person can read, and have read, now. */
export const settledAt = (now: Date): Date => new Date(now.getTime() - SETTLED_MS);
