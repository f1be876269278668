import type { Host, HostTransaction } from '../../server/src/host/host.ts';
import { HostError } from '../../server/src/host/host.ts';

/** A fault of the worker's connection to the host, in its n-th transaction from now on. */
export interface Mishap {
  readonly count: number;
  readonly what: (typeof mishaps)[number];
  /** The host does not answer for the rest of the pass, either. */
  readonly thenAway: boolean;
}

export const mishaps = [
  /** The host does not answer. */
  'is away',
  /** Another program has locked the rows. */
  'has rows in use',
  /** The commit succeeds and its answer is lost. */
  'loses an answer',
  /** The connection breaks before the commit. The worker cannot know whether the commit succeeded. */
  'loses a commit',
  /** A clerk first writes the fields that this transaction is about to write. */
  'meets a clerk',
] as const;

/** The host as one pass of a process reaches it. */
export class HostLine implements Host {
  readonly dialect: Host['dialect'];
  readonly library: string;
  readonly ping: Host['ping'];
  readonly describe: Host['describe'];
  readonly close: Host['close'];
  readonly #host: Host;
  readonly #mishap: Mishap | undefined;
  readonly #meetClerk: () => Promise<void>;
  #transactions = 0;
  #isAway = false;
  #hasFailed = false;

  constructor(host: Host, mishap: Mishap | undefined, meetClerk: () => Promise<void>) {
    this.dialect = host.dialect;
    this.library = host.library;
    this.ping = () => host.ping();
    this.describe = (file) => host.describe(file);
    this.close = () => Promise.resolve();
    this.#host = host;
    this.#mishap = mishap;
    this.#meetClerk = meetClerk;
  }

  /** Whether a call has failed. Another pass then does the rest. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  query(...statement: Parameters<Host['query']>): ReturnType<Host['query']> {
    if (this.#isAway) throw this.#failure('08001', 'the host does not answer');
    return this.#host.query(...statement);
  }

  async transaction<T>(work: (tx: HostTransaction) => Promise<T>): Promise<T> {
    if (this.#isAway) throw this.#failure('08001', 'the host does not answer');
    const mishap = this.#transactions++ === this.#mishap?.count ? this.#mishap : undefined;
    if (!mishap) return this.#host.transaction(work);
    this.#isAway = mishap.thenAway;
    switch (mishap.what) {
      case 'meets a clerk':
        await this.#meetClerk();
        return this.#host.transaction(work);
      case 'loses a commit':
        return this.#host.transaction(async (tx) => {
          await work(tx);
          throw this.#failure('08007', 'the line broke before the commit');
        });
      case 'loses an answer':
        await this.#host.transaction(work);
        throw this.#failure('08007', 'the line broke after the commit');
      case 'has rows in use':
        throw this.#failure('57033', 'another program has these rows');
      default:
        this.#isAway = true;
        throw this.#failure('08001', 'the host does not answer');
    }
  }

  #failure(sqlstate: string, message: string): HostError {
    this.#hasFailed = true;
    return new HostError(sqlstate, message);
  }
}
