import type { RouteKey } from '@tailgate/sync-protocol';
import { HostError, type Host, type HostErrorKind, type HostTransaction } from '../../host/host.ts';

/** A change of a stop that was not on the host yet. */
export interface WaitingChange {
  readonly id: string;
  readonly receivedAt: Date;
}

/** A stop that the host has accepted or refused. Times are of `performance.now()`, in ms. */
export interface ReplicatedStop {
  readonly route: RouteKey;
  readonly stop: number;
  readonly version: number;
  /** As in RUTRC and in the host's log. */
  readonly trace: string | undefined;
  readonly outcome: 'on_host' | 'parked';
  readonly changes: readonly WaitingChange[];
  readonly at: Date;
  readonly begunAt: number;
  readonly endedAt: number;
}

/**
 * Receives measurements of the traffic to the host, for figures and traces. Nothing waits for it, and it must not
 * throw.
 */
export interface HostWatch {
  stopReplicated(stop: ReplicatedStop): void;
  /** A statement or a commit, and its result. */
  statement(outcome: StatementOutcome, ms: number): void;
}

export type StatementOutcome = 'done' | HostErrorKind;

/** Wraps a host and reports each statement. Commits count as statements: a slow host is slow there. */
export function watchedHost(host: Host, watch: Pick<HostWatch, 'statement'>): Host {
  const reported = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const begunAt = performance.now();
    try {
      const value = await answer;
      watch.statement('done', performance.now() - begunAt);
      return value;
    } catch (error) {
      if (error instanceof HostError) watch.statement(error.kind, performance.now() - begunAt);
      throw error;
    }
  };
  return {
    dialect: host.dialect,
    library: host.library,
    map: host.map,
    query: (sql, parameters) => reported(host.query(sql, parameters)),
    transaction: (work) => reportedTransaction(host, work, reported),
    ping: () => reported(host.ping()),
    isAtomic: () => host.isAtomic(),
    describe: (file) => reported(host.describe(file)),
    close: () => host.close(),
  };
}

type Reported = <Answer>(answer: Promise<Answer>) => Promise<Answer>;

/** An error of a statement within the work is reported already; other errors of the work are no statements. */
async function reportedTransaction<T>(
  host: Host,
  work: (tx: HostTransaction) => Promise<T>,
  reported: Reported,
): Promise<T> {
  const succeeded = Promise.withResolvers<void>();
  let failed = false;
  const whole = host.transaction(async (tx) => {
    try {
      return await work({
        query: (sql, parameters) => reported(tx.query(sql, parameters)),
        execute: (sql, parameters) => reported(tx.execute(sql, parameters)),
      });
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      succeeded.resolve();
    }
  });
  // Without a connection the work never begins.
  await Promise.race([succeeded.promise, whole.catch(() => undefined)]);
  return failed ? whole : reported(whole);
}
