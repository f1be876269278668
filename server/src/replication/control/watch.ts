import type { RouteKey } from '@tailgate/sync-protocol';
import { HostError, type Host, type HostErrorKind, type HostTransaction } from '../../host/host.ts';

/** A change of a stop that the host did not have yet. */
export interface WaitingChange {
  readonly id: string;
  readonly receivedAt: Date;
}

/** A stop that the host has now, or refuses. Moments are of `performance.now()`, in ms. */
export interface BroughtStop {
  readonly route: RouteKey;
  readonly stop: number;
  readonly version: number;
  /** As RUTRC and the host's log have it. */
  readonly trace: string | undefined;
  readonly outcome: 'on_host' | 'parked';
  readonly changes: readonly WaitingChange[];
  readonly at: Date;
  readonly begunAt: number;
  readonly endedAt: number;
}

/** Whoever keeps figures or traces of what goes to the host. Nothing waits for it, and it must not throw. */
export interface HostWatch {
  brought(stop: BroughtStop): void;
  /** A statement or a commit, and what came of it. */
  statement(outcome: StatementOutcome, ms: number): void;
}

export type StatementOutcome = 'done' | HostErrorKind;

/** The host as it was, each of its statements told. Commits count as statements: that is where a host is slow. */
export function watchedHost(host: Host, watch: Pick<HostWatch, 'statement'>): Host {
  const told = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
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
    query: (sql, parameters) => told(host.query(sql, parameters)),
    transaction: (work) => toldTransaction(host, work, told),
    ping: () => told(host.ping()),
    describe: (file) => told(host.describe(file)),
    close: () => host.close(),
  };
}

type Told = <Answer>(answer: Promise<Answer>) => Promise<Answer>;

/** What a transaction's own work throws was told before, or is no statement. */
async function toldTransaction<T>(host: Host, work: (tx: HostTransaction) => Promise<T>, told: Told): Promise<T> {
  const worked = Promise.withResolvers<void>();
  let failed = false;
  const whole = host.transaction(async (tx) => {
    try {
      return await work({
        query: (sql, parameters) => told(tx.query(sql, parameters)),
        execute: (sql, parameters) => told(tx.execute(sql, parameters)),
      });
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      worked.resolve();
    }
  });
  // Without a connection the work never begins.
  await Promise.race([worked.promise, whole.catch(() => undefined)]);
  return failed ? whole : told(whole);
}
