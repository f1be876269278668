import type { HostChange, HostChanges } from './host-changes.ts';

/**
 * Chooses between doorbell and polling at each poll. Lines of the doorbell are rows of the host: where the service must
 * not delete them, it polls.
 */
export class ChangesByMode implements HostChanges {
  readonly #doorbell: HostChanges;
  readonly #polling: HostChanges;
  readonly #mayDelete: () => boolean;
  #current: HostChanges;

  constructor(doorbell: HostChanges, polling: HostChanges, mayDelete: () => boolean) {
    this.#doorbell = doorbell;
    this.#polling = polling;
    this.#mayDelete = mayDelete;
    this.#current = polling;
  }

  get comparesAll(): boolean {
    return this.#current.comparesAll;
  }

  poll(): Promise<{ changes: HostChange[]; unparsable: string[] }> {
    this.#current = this.#mayDelete() ? this.#doorbell : this.#polling;
    return this.#current.poll();
  }

  pollAgain(): Promise<HostChange[]> {
    return this.#current.pollAgain();
  }

  acknowledge(sequences: readonly string[]): Promise<void> {
    return this.#current.acknowledge(sequences);
  }
}
