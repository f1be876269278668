import type { FieldEdit } from '../engine/events.ts';
import type { DeviceTime } from '../connection/device-time.ts';
import type { Check, Read } from '../platform/reading.ts';
import { fields, listOf, number, text } from '../platform/reading.ts';
import { keepEqualParts } from '../platform/watch.ts';
import type { Target } from '../queue/item.ts';
import type { Journal } from '../store/journal.ts';
import type { Row, StoreChange } from '../store/store.ts';

const editForm = fields({ path: text, by: text, at: number });
const isEdit: Check<FieldEdit> = (value): value is FieldEdit => editForm(value);
const isStored = fields({ edits: listOf(isEdit), scope: text, since: number });
type Stored = Read<typeof isStored>;

/** How long edits of a route that the signed-in driver does not have remain. */
const keepMs = 7 * 86_400_000;

interface UnseenEditsDeps {
  readonly time: Pick<DeviceTime, 'stamp'>;
  readonly journal: Journal;
}

/** The office's edits that no driver has seen, by stop; in the table of settings. */
export class UnseenEdits {
  readonly #deps: UnseenEditsDeps;
  readonly #all = new Map<string, Stored>();

  /** @param settings the stored setting rows */
  constructor(settings: readonly Row[], deps: UnseenEditsDeps) {
    this.#deps = deps;
    for (const { key, value } of settings) if (isStored(value)) this.#all.set(key, value);
  }

  of(target: Target): readonly FieldEdit[] {
    return this.#all.get(keyOf(target))?.edits ?? [];
  }

  /**
   * Adds edits; a second one of a field continues the first. Called in the step that stores the documents, so that one
   * write has both.
   */
  add(target: Target, added: readonly FieldEdit[]): void {
    const edits = new Map(this.of(target).map((edit) => [edit.path, edit]));
    for (const edit of added) {
      const before = edits.has(edit.path) ? edits.get(edit.path)?.before : edit.before;
      edits.set(edit.path, { ...edit, before });
    }
    // A value that is back is no news.
    const kept = [...edits.values()].filter(({ before, after }) => keepEqualParts(before, after) !== before);
    void this.#put(keyOf(target), { edits: kept, scope: target.scope, since: this.#deps.time.stamp });
  }

  /** The driver has seen them. Resolves when that is on the disk. */
  seen(target: Target): Promise<void> {
    return this.#put(keyOf(target));
  }

  /** Removes old edits of routes that are not among these; called while the server's time is known. */
  purge(scopes: readonly string[]): void {
    const { stamp } = this.#deps.time;
    for (const [key, { scope, since }] of this.#all)
      if (stamp - since > keepMs && !scopes.includes(scope)) void this.#put(key);
  }

  #put(key: string, value?: Stored): Promise<void> {
    const change: StoreChange = value?.edits.length ? { put: 'setting', key, value } : { delete: 'setting', key };
    if (value?.edits.length) this.#all.set(key, value);
    else if (!this.#all.delete(key)) return Promise.resolve();
    return this.#deps.journal.commit([change]);
  }
}

const keyOf = ({ scope, stop }: Target): string => `edits/${scope}/${stop}`;
