import type { Host, HostTransaction } from '../../server/src/host/host.ts';
import { HostError } from '../../server/src/host/host.ts';

/** A fault of the worker's connection to the host, in its n-th transaction from now on. */
export interface HostFault {
  readonly count: number;
  readonly kind: (typeof hostFaults)[number];
  /** The host does not answer for the rest of the pass, either. */
  readonly staysAway: boolean;
}

export const hostFaults = [
  /** The host does not answer. */
  'is unreachable',
  /** Another program has locked the rows. */
  'has locked rows',
  /** The commit succeeds and its answer is lost. */
  'loses an answer',
  /** The connection breaks before the commit. The worker gets no answer whether the commit succeeded. */
  'loses a commit',
  /** A constraint or a trigger of the host refuses the rows of this and of all later transactions of the pass. */
  'refuses the rows',
  /** A clerk first writes the fields that this transaction is about to write. */
  'gets a clerk’s edit first',
] as const;

/** The host as one pass of a process reaches it. */
export class FaultyHost implements Host {
  readonly dialect: Host['dialect'];
  readonly library: string;
  readonly map: Host['map'];
  readonly ping: Host['ping'];
  readonly describe: Host['describe'];
  readonly isAtomic: Host['isAtomic'];
  readonly close: Host['close'];
  readonly #host: Host;
  readonly #hostFault: HostFault | undefined;
  readonly #clerkWrites: () => Promise<void>;
  #transactions = 0;
  #isAway = false;
  #isRefusing = false;
  #hasFailed = false;

  constructor(host: Host, hostFault: HostFault | undefined, clerkWrites: () => Promise<void>) {
    this.dialect = host.dialect;
    this.library = host.library;
    this.map = host.map;
    this.ping = () => host.ping();
    this.describe = (file) => host.describe(file);
    this.isAtomic = () => host.isAtomic();
    this.close = () => Promise.resolve();
    this.#host = host;
    this.#hostFault = hostFault;
    this.#clerkWrites = clerkWrites;
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
    const hostFault = this.#transactions++ === this.#hostFault?.count ? this.#hostFault : undefined;
    if (this.#isRefusing || hostFault?.kind === 'refuses the rows') return this.#refuse(work);
    if (!hostFault) return this.#host.transaction(work);
    this.#isAway = hostFault.staysAway;
    switch (hostFault.kind) {
      case 'gets a clerk’s edit first':
        await this.#clerkWrites();
        return this.#host.transaction(work);
      case 'loses a commit':
        return this.#host.transaction(async (tx) => {
          await work(tx);
          throw this.#failure('08007', 'the line broke before the commit');
        });
      case 'loses an answer':
        await this.#host.transaction(work);
        throw this.#failure('08007', 'the line broke after the commit');
      case 'has locked rows':
        throw this.#failure('57033', 'another program has these rows');
      default:
        this.#isAway = true;
        throw this.#failure('08001', 'the host does not answer');
    }
  }

  #refuse<T>(work: (tx: HostTransaction) => Promise<T>): Promise<T> {
    this.#isRefusing = true;
    return this.#host.transaction(async (tx) => {
      await work(tx);
      throw this.#failure('23513', 'a constraint of the host refuses these rows');
    });
  }

  #failure(sqlstate: string, message: string): HostError {
    this.#hasFailed = true;
    return new HostError(sqlstate, message);
  }
}
