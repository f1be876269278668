import type { Receipt } from '@tailgate/client-sdk';
import type { Device } from '../system/device.ts';
import type { RouteHistory } from '../system/route-history.ts';

/** The number of a driver's changes in flight. */
const IN_FLIGHT = 5;

/** A driver at work: some changes are always in flight, in every state of the server. */
export class WorkingDriver {
  readonly phone: Device;
  /** Ids of the changes that the server has acknowledged. */
  readonly acknowledged = new Set<string>();
  readonly ids: string[] = [];
  readonly #history: RouteHistory;
  readonly #stops: readonly number[];
  readonly #waiters = new Map<number, () => void>();

  constructor(phone: Device, history: RouteHistory, stops: readonly number[]) {
    this.phone = phone;
    this.#history = history;
    this.#stops = stops;
  }

  /** Resolves when this number of changes has been acknowledged. */
  has(count: number): Promise<void> {
    if (this.acknowledged.size >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.set(count, resolve));
  }

  /** Makes this number of changes. Resolves when the last one is recorded. */
  async work(changes: number): Promise<void> {
    const answers: Promise<unknown>[] = [];
    for (let n = 0; n < changes; n++) {
      const { id, accepted } = this.#record(this.ids.length);
      this.ids.push(id);
      answers.push(accepted.then(() => this.#acknowledge(id)));
      await answers[n - IN_FLIGHT];
    }
  }

  #record(n: number): Receipt {
    // Another stop each time: two changes of one stop may be merged.
    const id = this.#stops[n % this.#stops.length] ?? 0;
    const end_delivery_time = `2026-11-20T16:00:${String(n).padStart(2, '0')}.000Z`;
    const updates = { status: 'D', end_delivery_time, driver_comments: `word ${n}` } as const;
    return this.#history.update(this.phone.app, { id, updates });
  }

  #acknowledge(id: string): void {
    this.acknowledged.add(id);
    this.#waiters.get(this.acknowledged.size)?.();
  }
}
