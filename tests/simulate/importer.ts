import type { HostChanges } from '../../server/src/host/reads/host-changes.ts';
import { Doorbell } from '../../server/src/host/reads/doorbell.ts';
import type { Host } from '../../server/src/host/host.ts';
import { HostImport, type ImportOptions } from '../../server/src/replication/from-host/import.ts';

/** The host, the changes and the clock that the importer sees. */
export interface HostView {
  readonly host: Host;
  readonly changes: HostChanges;
  readonly clock: () => Date;
}

/**
 * The importer that all worlds share. It takes its snapshot when their routes are dispatched. Each later poll is on
 * behalf of one world and sees only the changes of its route.
 */
export class Importer {
  readonly #all: HostView;
  readonly #imports: HostImport;
  #view: HostView;
  /** Polls run one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor({ host, ...deps }: Pick<ImportOptions, 'db' | 'host' | 'leases' | 'submit' | 'log'>) {
    this.#view = this.#all = { host, changes: new Doorbell(host), clock: () => new Date() };
    const line: Host = {
      ...host,
      query: (...statement) => this.#view.host.query(...statement),
      transaction: (work) => this.#view.host.transaction(work),
    };
    const changes: HostChanges = {
      comparesAll: false,
      poll: () => this.#view.changes.poll(),
      pollAgain: () => this.#view.changes.pollAgain(),
      acknowledge: (sequences) => this.#view.changes.acknowledge(sequences),
    };
    const clock = (): Date => this.#view.clock();
    this.#imports = new HostImport({
      ...deps,
      host: line,
      changes,
      clock,
      pollSeconds: 3_600,
      importFrom: '20200101',
    });
  }

  /** Imports the changes of all routes. */
  importAll(): Promise<void> {
    return this.poll(this.#all);
  }

  /** @throws HostError */
  poll(view: HostView): Promise<void> {
    return this.#inTurn(view, async () => void (await this.#imports.importNow()));
  }

  #inTurn<Result>(view: HostView, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(() => {
      this.#view = view;
      return work();
    });
    this.#last = turn.then(nothing, nothing);
    return turn;
  }

  /**
   * Compares the open routes with the host, as the first server after a restore does.
   *
   * @returns whether it has judged all of them: changes of a route that wait for the host come first
   * @throws HostError
   */
  compare(view: HostView): Promise<boolean> {
    return this.#inTurn(view, async () => {
      const { isBegun, unjudged } = await this.#imports.findDrift('routes');
      return isBegun && unjudged.length === 0;
    });
  }

  stop(): Promise<void> {
    return this.#imports.stop();
  }
}

const nothing = (): void => undefined;
