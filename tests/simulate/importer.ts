import type { HostChanges } from '../../server/src/host/reads/host-changes.ts';
import { Doorbell } from '../../server/src/host/reads/doorbell.ts';
import type { Host } from '../../server/src/host/host.ts';
import { HostImport, type ImportOptions } from '../../server/src/replication/in/import.ts';

/** What the importer hears of, and by which clock and line. */
export interface Ear {
  readonly host: Host;
  readonly changes: HostChanges;
  readonly clock: () => Date;
}

/**
 * The one importer of all worlds. It took its snapshot when their routes were dispatched; from then on each look is one
 * world's, which hears of nothing but its own route.
 */
export class Importer {
  readonly #all: Ear;
  readonly #imports: HostImport;
  #ear: Ear;
  /** Looks follow each other. */
  #last: Promise<void> = Promise.resolve();

  constructor({ host, ...deps }: Pick<ImportOptions, 'db' | 'host' | 'leases' | 'submit' | 'log'>) {
    this.#ear = this.#all = { host, changes: new Doorbell(host), clock: () => new Date() };
    const line: Host = {
      ...host,
      query: (...statement) => this.#ear.host.query(...statement),
      transaction: (work) => this.#ear.host.transaction(work),
    };
    const changes: HostChanges = {
      comparesAll: false,
      poll: () => this.#ear.changes.poll(),
      pollAgain: () => this.#ear.changes.pollAgain(),
      acknowledge: (sequences) => this.#ear.changes.acknowledge(sequences),
    };
    const clock = (): Date => this.#ear.clock();
    this.#imports = new HostImport({
      ...deps,
      host: line,
      changes,
      clock,
      pollSeconds: 3_600,
      importFrom: '20200101',
    });
  }

  /** Whatever has changed, of whichever route. */
  takeAll(): Promise<void> {
    return this.poll(this.#all);
  }

  /** @throws HostError */
  poll(ear: Ear): Promise<void> {
    const poll = this.#last.then(() => {
      this.#ear = ear;
      return this.#imports.importNow();
    });
    this.#last = poll.catch(() => undefined);
    return poll;
  }

  stop(): Promise<void> {
    return this.#imports.stop();
  }
}
