import { gather } from '../db/gather.ts';
import type { Tx } from '../db/types.ts';

/** The final writes of one upload; throws where it must not be written. */
export type Write = (tx: Tx) => Promise<unknown>;

/** Ends concurrent uploads in one transaction, which also wakes the worker once. */
export type SharedCommit = (write: Write) => Promise<void>;

export interface CommitDeps {
  readonly inTransaction: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  /** Wakes the worker, in the transaction, for assets that wait for the host. */
  readonly wake: (tx: Tx) => Promise<void>;
}

/** Of half a megabyte each. */
const maxPerCommit = 8;

/**
 * A disk syncs eight photos as fast as one. If one of several uploads cannot be written, all are rolled back and then
 * tried alone, so that each fails only by its own fault.
 */
export function shareCommits({ inTransaction, wake }: CommitDeps): SharedCommit {
  const commit = (writes: readonly Write[]): Promise<unknown> =>
    inTransaction((tx) => Promise.all([...writes.map((write) => write(tx)), wake(tx)]));

  const alone = (write: Write): Promise<Outcome> =>
    commit([write]).then(
      () => ({ error: undefined }),
      (cause: unknown) => ({ error: cause instanceof Error ? cause : new Error('a commit failed', { cause }) }),
    );

  const ask = gather<Write, Outcome>(
    async (writes) => {
      if (writes.length === 1) return Promise.all(writes.map(alone));
      try {
        await commit(writes);
        return writes.map(() => ({ error: undefined }));
      } catch {
        const outcomes: Outcome[] = [];
        for (const write of writes) outcomes.push(await alone(write));
        return outcomes;
      }
    },
    { max: maxPerCommit },
  );
  return async (write) => {
    const { error } = await ask(write);
    if (error) throw error;
  };
}

interface Outcome {
  readonly error: Error | undefined;
}
