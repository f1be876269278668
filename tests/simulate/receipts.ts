import { isDeepStrictEqual } from 'node:util';
import type { Driver } from './driver.ts';
import { NEWER_KIND } from './model/diary.ts';
import type { Evidence } from './model/evidence.ts';
import { LATE_STOP, routeOf } from './model/fixture.ts';
import { type Hosted, prematureReceipts, stopAfter, stopOf } from './model/invariants.ts';

/** What the phones show of their changes, and which of it has been checked. */
export class Receipts {
  readonly #drivers: readonly Driver[];
  readonly #reported = new Map<string, string>();

  constructor(drivers: readonly Driver[]) {
    this.#drivers = drivers;
  }

  /** The driver has changed it: its receipt begins anew. */
  forget(id: string): void {
    this.#reported.delete(id);
  }

  /** Checks the receipts that are new since the last call. */
  async check(evidence: Evidence): Promise<string[]> {
    const accepted: string[] = [];
    const hosted: Hosted[] = [];
    const wrong: string[] = [];
    for (const { phone, history } of this.#drivers) {
      for (const { id, stop } of history.taps) {
        const state = phone.app?.receipt(id)?.current;
        if (!state || this.#reported.get(id) === state.at) continue;
        this.#reported.set(id, state.at);
        const isReceived = state.at === 'accepted' || state.at === 'on_host' || state.at === 'quarantined';
        if (isReceived && !history.acceptedAt.has(id) && !evidence.restores.hasLost(id))
          history.acceptedAt.set(id, evidence.now);
        if (state.at === 'quarantined' && stop !== LATE_STOP && stop !== NEWER_KIND)
          wrong.push(`${id} was put into quarantine: ${state.reason}`);
        if (state.at === 'accepted' || state.at === 'on_host') accepted.push(id);
        if (state.at === 'on_host') hosted.push({ id, stop });
      }
    }
    return [...wrong, ...(await prematureReceipts(evidence, accepted, hosted))];
  }

  /** A stop that only one driver touches shows that driver's latest value, regardless of the server's messages. */
  checkViews({ seed, copies, restores }: Evidence): string[] {
    // A restored server takes over as an edit what only the host had, and that may be later than a record that it lacks.
    if (restores.hasHappened) return [];
    return this.#drivers.flatMap(({ employee, own: stop, phone, history, hasPhone }) => {
      if (copies.has(employee)) return [];
      const own = hasPhone ? phone.app?.stop(stop, routeOf(seed)).current : undefined;
      const expected = stopAfter(history.latestValues(stop));
      if (!own || isDeepStrictEqual(stopOf(own), expected)) return [];
      return [`the phone of ${employee} shows ${JSON.stringify(stopOf(own))} instead of ${JSON.stringify(expected)}`];
    });
  }
}
