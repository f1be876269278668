import type { Json, Scope } from '@tailgate/sync-protocol';
import { NotSignedIn, refusal } from '../platform/errors.ts';
import type { DeviceTime } from '../connection/device-time.ts';
import type { Read } from '../platform/reading.ts';
import { fields, json, number } from '../platform/reading.ts';
import type { Accounts } from '../session/accounts.ts';
import type { Journal } from '../store/journal.ts';
import type { Row, StoreChange } from '../store/store.ts';
import type { QueueItem } from './item.ts';
import { statusOf } from './item.ts';

/** `at` is 0 where the server's time was not known when the draft was set. */
const isDraft = fields({ draft: json, at: number });
type StoredDraft = Read<typeof isDraft>;

/** UTF-16 code units of JSON. A form with 20 lines takes a few thousand. */
const maxLength = 65_536;
/** How long a draft remains after its last change where its route is not one of the signed-in driver's. */
const keepMs = 7 * 86_400_000;

/** The subject of a draft: a stop, or a whole route. */
export interface DraftTarget {
  readonly scope: Scope;
  readonly stop: number | undefined;
}

interface StopDraftsDeps {
  readonly accounts: Pick<Accounts, 'current' | 'employee'>;
  readonly time: Pick<DeviceTime, 'stamp' | 'isSure'>;
  readonly journal: Pick<Journal, 'commit'>;
}

/**
 * Half-filled stops and forms of a route, as the app describes them: one value for each driver and stop, and one for
 * each driver and route, in the table of settings. One write
 * is in progress at a time, and the next one takes the latest values. A server never receives them.
 */
export class StopDrafts {
  onChange: (target: DraftTarget) => void = () => {};
  readonly #deps: StopDraftsDeps;
  readonly #all = new Map<string, StoredDraft>();
  /** Drafts that a change in the queue has ended, for its withdrawal. */
  readonly #ended = new WeakMap<QueueItem, StoredDraft>();
  readonly #unsaved = new Set<string>();
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param settings the stored setting rows */
  constructor(settings: readonly Row[], deps: StopDraftsDeps) {
    this.#deps = deps;
    for (const { key, value } of settings) if (isDraft(value)) this.#all.set(key, value);
  }

  /** Each begins with the driver's prefix. */
  get keys(): Iterable<string> {
    return this.#all.keys();
  }

  /** The signed-in driver's draft of a stop, or of a route. */
  of(target: DraftTarget): Json | undefined {
    return this.#all.get(keyOf(this.#deps.accounts.employee, target))?.draft;
  }

  /** As the client's `setDraft`. */
  async set(target: DraftTarget, draft: Json | undefined, employee = this.#deps.accounts.employee): Promise<void> {
    if (employee === undefined) throw new NotSignedIn();
    const key = keyOf(employee, target);
    const { stamp, isSure } = this.#deps.time;
    this.#put(key, copyOf(draft, isSure ? stamp : 0));
    this.onChange(target);
    this.#unsaved.add(key);
    await (this.#next ??= this.#writeNext());
  }

  /** The rows to store with a change: a recorded status ends the draft of its stop. */
  recorded(item: QueueItem): StoreChange[] {
    const { target, mutation, employee } = item;
    const key = keyOf(employee, target);
    const draft = this.#all.get(key);
    if (!draft || (statusOf(mutation.args) ?? 'P') === 'P') return [];
    this.#ended.set(item, draft);
    return [this.#put(key)];
  }

  /** The rows to store with the withdrawal of a change: its draft returns, unless the driver has begun another. */
  withdrawn(item: QueueItem): StoreChange[] {
    const key = keyOf(item.employee, item.target);
    const draft = this.#ended.get(item);
    return draft && !this.#all.has(key) ? [this.#put(key, draft)] : [];
  }

  /** Removes old drafts; called while the server's time is known. @returns the rows to delete */
  purge(): StoreChange[] {
    const { accounts, time } = this.#deps;
    const routes = accounts.current.current?.routes ?? [];
    return [...this.#all].flatMap(([key, { draft, at }]) => {
      // It was set before the server's time was known: its age counts from now.
      if (at === 0) return this.#put(key, { draft, at: time.stamp });
      const isKept = time.stamp - at < keepMs || routes.some(({ scope }) => key.includes(`/${scope}/`));
      return isKept ? [] : this.#put(key);
    });
  }

  /** Writes unsaved drafts to the journal. */
  flush(): void {
    this.#writing = this.#deps.journal.commit([...this.#unsaved].map((key) => this.#row(key)));
    this.#unsaved.clear();
  }

  async #writeNext(): Promise<void> {
    await this.#writing;
    this.#next = undefined;
    this.flush();
    await this.#writing;
  }

  #put(key: string, value?: unknown): StoreChange {
    if (isDraft(value)) this.#all.set(key, value);
    else this.#all.delete(key);
    return this.#row(key);
  }

  #row(key: string): StoreChange {
    const value = this.#all.get(key);
    return value ? { put: 'setting', key, value } : { delete: 'setting', key };
  }
}

/**
 * A copy in the stored form: the app may change its own object.
 *
 * @throws InvalidChange
 */
export function copyOf(draft: Json | undefined, at = 0): StoredDraft | undefined {
  const text = JSON.stringify({ draft, at });
  if (text.length > maxLength) throw refusal('draft', `must not exceed ${maxLength} characters of JSON`);
  const copy: unknown = JSON.parse(text);
  return isDraft(copy) ? copy : undefined;
}

const keyOf = (employee: string | undefined, target: DraftTarget | undefined): string =>
  `draft/${employee}/${target?.scope}/${target?.stop ?? 'route'}`;
