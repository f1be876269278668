import type { Scope } from '@tailgate/sync-protocol';
import type { Conflict, EventHub } from './events.ts';
import type { QueueItem, Step } from '../queue/item.ts';
import type { Outbox } from '../queue/outbox.ts';
import type { Receipt } from '../queue/receipt.ts';
import type { Accounts } from '../session/accounts.ts';
import type { Watch } from '../platform/watch.ts';
import { select, Signal } from '../platform/watch.ts';

/** A change that the server could not apply, as a page hands it to another one. */
export interface ReviewEntry {
  readonly id: string;
  readonly employee: string;
  /** What was recorded, such as `stop.update`. */
  readonly name: string;
  /** The scope of its route, and its stop; undefined where it belongs to none, such as a report. */
  readonly route: Scope | undefined;
  readonly stop: number | undefined;
  /** When it was recorded; ms since 1970 by this device's clock. */
  readonly recordedAt: number;
  readonly code: string;
  /** Why the server could not apply it. */
  readonly reason: string;
  /** The office's words where it has put the change aside; undefined while the office has it for review. */
  readonly dismissed: string | undefined;
  /** Whether `acknowledge` was called since it became what it is. */
  readonly acknowledged: boolean;
}

/** A change that the server could not apply: the office has it for review, or has put it aside. */
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
 * What became of changes and a person has to see: it lies in the store with them, so that no page has to be open when it
 * comes. Shown of the driver at work; where no driver is, of all. Its events wait until a page listens.
 */
export class Inbox {
  /** What the office has for review, and what it has put aside and was not acknowledged; the oldest first. */
  readonly review = new Signal<readonly ReviewEntry[]>([]);
  /** Fields that lost and were not acknowledged. */
  readonly conflicts = new Signal<readonly Conflict[]>([]);
  readonly #deps: InboxDeps;
  /** What was told since somebody last began to listen: a page's word that it has heard takes a moment. */
  #offered = new WeakSet<object>();

  constructor(deps: InboxDeps) {
    this.#deps = deps;
    deps.accounts.current.subscribe(() => this.#show());
    deps.events.onListener = () => this.tell();
    this.#show();
  }

  /** Items are others than before. */
  look(): void {
    this.#show();
    this.#offer();
  }

  /** Somebody listens from now on: tells what waits for that. What was heard is not told again. */
  tell(): void {
    this.#offered = new WeakSet();
    this.#offer();
  }

  #offer(): void {
    const heard: QueueItem[] = [];
    for (const item of this.#deps.outbox.notable.all()) {
      const what = item.conflicts ?? item.progress;
      if (item.told || this.#offered.has(what)) continue;
      this.#offered.add(what);
      if (this.#emit(item)) heard.push(item);
    }
    void this.#note(heard, { told: true });
  }

  /** A page beside this one has heard the event of a change. */
  heard(id: string): void {
    const item = this.#deps.outbox.find(id);
    if (item && !item.told) void this.#note([item], { told: true });
  }

  /** The driver has seen what became of a change. Resolves when that is on the disk; false where nothing is known of it. */
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
      .sort((a, b) => a.edit_time - b.edit_time || a.mutation.seq - b.mutation.seq);
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
