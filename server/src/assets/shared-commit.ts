import { gather } from '../db/gather.ts';
import type { Tx } from '../db/types.ts';

/** What one upload writes at its end; throws where it must not be written after all. */
export type Write = (tx: Tx) => Promise<unknown>;

/** Does the work of uploads that end at the same moment in one transaction and tells the worker once, in it too. */
export type SharedCommit = (write: Write) => Promise<void>;

export interface CommitDeps {
  readonly inTransaction: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  /** Tells the worker, in the transaction, that assets wait for the host. */
  readonly wake: (tx: Tx) => Promise<void>;
}

/** Of half a megabyte each. */
const mostTogether = 8;

/**
 * A disk syncs as fast for eight photos as for one. Where one of several cannot be written all are rolled back, and then
 * each is tried alone: nobody fails for another's fault.
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
    { most: mostTogether },
  );
  return async (write) => {
    const { error } = await ask(write);
    if (error) throw error;
  };
}

interface Outcome {
  readonly error: Error | undefined;
}
