import type { HostChanges } from '../../server/src/host/reads/changes.ts';
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

  constructor({ host, ...ground }: Pick<ImportOptions, 'db' | 'host' | 'leases' | 'submit' | 'log'>) {
    this.#ear = this.#all = { host, changes: new Doorbell(host), clock: () => new Date() };
    const line: Host = {
      ...host,
      query: (...statement) => this.#ear.host.query(...statement),
      transaction: (work) => this.#ear.host.transaction(work),
    };
    const changes: HostChanges = {
      comparesAll: false,
      look: () => this.#ear.changes.look(),
      lookAgain: () => this.#ear.changes.lookAgain(),
      silence: (sequences) => this.#ear.changes.silence(sequences),
    };
    const clock = (): Date => this.#ear.clock();
    this.#imports = new HostImport({
      ...ground,
      host: line,
      changes,
      clock,
      pollSeconds: 3_600,
      importFrom: '20200101',
    });
  }

  /** Whatever has changed, of whichever route. */
  takeAll(): Promise<void> {
    return this.look(this.#all);
  }

  /** @throws HostError */
  look(ear: Ear): Promise<void> {
    const look = this.#last.then(() => {
      this.#ear = ear;
      return this.#imports.importNow();
    });
    this.#last = look.catch(() => undefined);
    return look;
  }

  stop(): Promise<void> {
    return this.#imports.stop();
  }
}
