import type { Environment } from '../platform/environment.ts';
import { fields, number } from '../platform/reading.ts';
import type { Journal } from '../store/journal.ts';
import type { Row, StoreChange } from '../store/store.ts';

interface OfflineSinceDeps {
  readonly environment: Pick<Environment, 'clock'>;
  readonly journal: Journal;
}

const key = 'offline';
const isStored = fields({ since: number });

/** When the connection was lost. A loss that this device saw is stored, so that a restart in a dead zone shows it. */
export class OfflineSince {
  readonly #deps: OfflineSinceDeps;
  #isStored: boolean;
  #since: number | undefined;

  /** @param settings the stored setting rows */
  constructor(settings: readonly Row[], deps: OfflineSinceDeps) {
    this.#deps = deps;
    const stored = settings.find((row) => row.key === key)?.value;
    this.#isStored = isStored(stored);
    this.#since = isStored(stored) ? stored.since : deps.environment.clock.now();
  }

  /** Takes the present state, and returns the time of the loss; undefined while online. */
  at(isOnline: boolean): number | undefined {
    if (isOnline === (this.#since === undefined)) return this.#since;
    const since = isOnline ? undefined : this.#deps.environment.clock.now();
    this.#since = since;
    if (since !== undefined) this.#store({ put: 'setting', key, value: { since } });
    else if (this.#isStored) this.#store({ delete: 'setting', key });
    this.#isStored = !isOnline;
    return since;
  }

  #store(change: StoreChange): void {
    void this.#deps.journal.commit([change], 'relaxed');
  }
}
