import type { Scope } from '@tailgate/sync-protocol';
import type { Conflict, EventHub } from './events.ts';
import type { QueueItem, Step } from '../queue/item.ts';
import { byEdit } from '../queue/item.ts';
import type { Outbox } from '../queue/outbox.ts';
import type { Receipt } from '../queue/receipt.ts';
import type { Accounts } from '../session/accounts.ts';
import type { Watch } from '../platform/watch.ts';
import { select, Signal } from '../platform/watch.ts';

/** A change that the server could not apply, in the form in which one page sends it to another. */
export interface ReviewEntry {
  readonly id: string;
  readonly employee: string;
  /** The mutation's name, such as `stop.update`. */
  readonly name: string;
  /** The scope of its route, and its stop number; undefined for a change without a route, such as a report. */
  readonly route: Scope | undefined;
  readonly stop: number | undefined;
  /** When the driver recorded it; ms since 1970 by this device's clock. */
  readonly recordedAt: number;
  readonly code: string;
  /** The server's reason for not applying it. */
  readonly reason: string;
  /** The office's reason for dismissing the change; undefined while the office has it for review. */
  readonly dismissed: string | undefined;
  /** Whether the app has called `acknowledge` since the latest step of the review. */
  readonly acknowledged: boolean;
}

/** A change that the server could not apply: the office has it for review, or has dismissed it. */
export interface ReviewedChange extends ReviewEntry {
  readonly receipt: Receipt;
}

export const withReceipts = (
  review: Watch<readonly ReviewEntry[]>,
  receiptOf: (id: string) => Receipt | undefined,
): Watch<readonly ReviewedChange[]> =>
  select(review, (entries) =>
    entries.flatMap((entry) => {
      const receipt = receiptOf(entry.id);
      return receipt ? { ...entry, receipt } : [];
    }),
  );

interface InboxDeps {
  readonly outbox: Outbox;
  readonly accounts: Accounts;
  readonly events: EventHub;
}

/**
 * Review results and conflicts that a driver has to see. The store contains them with their changes, so they survive
 * while no page is open. Shows those of the signed-in driver; without one, those of all drivers. Its events wait until
 * a page listens.
 */
export class Inbox {
  /** Changes under review, and dismissed ones without an acknowledgement; the oldest first. */
  readonly review = new Signal<readonly ReviewEntry[]>([]);
  /** Fields that lost, without an acknowledgement. */
  readonly conflicts = new Signal<readonly Conflict[]>([]);
  readonly #deps: InboxDeps;
  /** Progress values that were emitted since the last listener arrived. Another page's confirmation takes a moment. */
  #offered = new WeakSet<object>();

  constructor(deps: InboxDeps) {
    this.#deps = deps;
    deps.accounts.current.subscribe(() => this.#show());
    deps.events.onListener = () => this.offerAgain();
    this.#show();
  }

  /** Items have changed: renews the lists and emits new events. */
  refresh(): void {
    this.#show();
    this.#offer();
  }

  /** A new listener: emits the waiting events. Received events are not repeated. */
  offerAgain(): void {
    this.#offered = new WeakSet();
    this.#offer();
  }

  #offer(): void {
    const received: QueueItem[] = [];
    for (const item of this.#deps.outbox.notable.all()) {
      const what = item.conflicts ?? item.progress;
      if (item.told || this.#offered.has(what)) continue;
      this.#offered.add(what);
      if (this.#emit(item)) received.push(item);
    }
    void this.#note(received, { told: true });
  }

  /** Another page has received the event of a change. */
  received(id: string): void {
    const item = this.#deps.outbox.find(id);
    if (item && !item.told) void this.#note([item], { told: true });
  }

  /** The driver has seen the result of a change. Resolves once that is stored; false where the change is unknown. */
  async acknowledge(id: string): Promise<boolean> {
    const item = this.#deps.outbox.find(id);
    if (item) await this.#note([item], { told: true, acknowledged: true });
    return item !== undefined;
  }

  #note(items: readonly QueueItem[], notes: Step): Promise<void> {
    return this.#deps.outbox.advance(new Map(items.map((item) => [item, notes])));
  }

  #emit({ mutation: { id }, employee, progress, conflicts = [] }: QueueItem): boolean {
    const { events } = this.#deps;
    if (progress.at !== 'quarantined')
      return conflicts.filter((event) => events.emit({ name: 'conflict', event })).length > 0;
    const { code, reason, dismissed } = progress;
    return events.emit({ name: 'quarantined', event: { id, employee, code, reason, dismissed } });
  }

  #show(): void {
    const { outbox, accounts } = this.#deps;
    const shown = [...outbox.notable.all()]
      .filter(({ employee }) => employee === (accounts.employee ?? employee))
      .sort(byEdit);
    this.review.renew(shown.flatMap(entryOf));
    this.conflicts.renew(shown.flatMap(({ acknowledged, conflicts }) => (acknowledged ? [] : (conflicts ?? []))));
  }
}

function entryOf({ mutation, employee, target, progress, edit_time, acknowledged }: QueueItem): ReviewEntry[] {
  if (progress.at !== 'quarantined') return [];
  const { id, name } = mutation;
  const { code, reason, dismissed } = progress;
  const about = { route: target?.scope, stop: target?.stop, recordedAt: edit_time };
  return [{ id, employee, name, ...about, code, reason, dismissed, acknowledged: acknowledged === true }];
}
