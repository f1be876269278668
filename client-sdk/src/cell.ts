import type { Environment } from './platform/environment.ts';
import { platform } from './platform/environment.ts';
import { Unreachable } from './platform/errors.ts';
import { fields, nullable, optional, text, type Read } from './platform/reading.ts';
import { isInReview, isUnfinished, isWaiting, readItem } from './queue/item.ts';
import type { SignInResult } from './session/auth-calls.ts';
import type { StoreChange } from './store/store.ts';
import { tables } from './store/store.ts';
import { alone, type SharedStore } from './tabs/shared-store.ts';

/** The question for a cell, and the store that keeps the answer. */
export interface CellOptions extends Partial<Pick<Environment, 'fetch'>> {
  /** A server of any cell, such as `https://pod.example.com`; without `/api`. */
  readonly directory: string;
  /** The driver's facility; without it the answer is the cell of all facilities that `CELLS` does not name. */
  readonly facility?: string;
  /** The store of the client. */
  readonly store: SharedStore;
}

/**
 * The answer to a repeated question. `url` is the address for `createClient`. `moved`: the store is empty, and its drivers
 * sign in at the new cell. `owed`: the new cell has to wait, because changes in the store belong to the present one.
 */
export interface CellAnswer {
  readonly kind: 'same' | 'moved' | 'owed';
  readonly url: string;
}

const keptKey = 'cell';
const isKept = fields({ directory: text, facility: optional(text), url: text });
type Kept = Read<typeof isKept>;

const isAnswer = fields({ data: fields({ url: nullable(text) }) });
const isRefusal = fields({ message: text });

/**
 * The address of the driver's cell, for `createClient`. Asks the directory once, and keeps the answer in the store. A
 * store that a client has used before the first question belongs to the directory itself.
 *
 * @throws Unreachable where nothing is kept and no answer comes; RangeError for an unusable facility; StoreInUse where another page runs
 *   a client
 */
export async function findCell(options: CellOptions): Promise<string> {
  const kept = await readKept(options.store);
  if (kept && isSameQuestion(kept, options)) return kept.url;
  return (await askForCell(options)).url;
}

/**
 * Asks the directory again: after a sign-in that may be one for another cell (`mayBeElsewhere`), with the client closed.
 * Close it only while `canSignOut()` is true: files on this phone belong to the present cell, too.
 *
 * @throws Unreachable, RangeError and StoreInUse as `findCell`
 */
export async function askForCell(options: CellOptions): Promise<CellAnswer> {
  const { store, facility } = options;
  const directory = trimmed(options.directory);
  const url = (await ask(options)) ?? directory;
  return alone(store, async () => {
    const kept = await readKept(store);
    const owes = await owesChanges(store);
    const used = (await store.readAll('account')).length > 0;
    const present = kept?.url ?? (owes || used ? directory : url);
    if (present !== url && owes) return { kind: 'owed', url: present };
    const value: Kept = { directory, facility, url };
    const changes: StoreChange[] = present === url ? [] : await emptied(store);
    await store.write([...changes, { put: 'setting', key: keptKey, value }], 'strict');
    return { kind: present === url ? 'same' : 'moved', url };
  });
}

/** Whether a refused sign-in can mean that the driver belongs to another cell. */
export const mayBeElsewhere = (result: SignInResult): boolean =>
  result.kind === 'refused' && ['INVALID_CREDENTIALS', 'EMPLOYEE_NOT_FOUND'].includes(result.code);

async function ask({ directory, facility, fetch = platform.fetch }: CellOptions): Promise<string | undefined> {
  const query = facility === undefined ? '' : `?facility=${encodeURIComponent(facility)}`;
  let content: unknown;
  let status: number;
  try {
    const response = await fetch(`${trimmed(directory)}/api/cell${query}`, {});
    status = response.status;
    content = await response.json();
  } catch (error) {
    throw new Unreachable('cell', error);
  }
  if (status === 400 && isRefusal(content)) throw new RangeError(`facility: ${content.message}`);
  if (status !== 200 || !isAnswer(content)) throw new Unreachable('cell', new Error(`status ${status}`));
  const { url } = content.data;
  return url === null ? undefined : trimmed(url);
}

const trimmed = (url: string): string => url.replace(/\/+$/, '');

const isSameQuestion = (kept: Kept, { directory, facility }: CellOptions): boolean =>
  kept.directory === trimmed(directory) && kept.facility === facility;

async function readKept(store: SharedStore): Promise<Kept | undefined> {
  const value = (await store.readAll('setting')).find(({ key }) => key === keptKey)?.value;
  return isKept(value) ? value : undefined;
}

/** A change that the present cell has not finished, or that this build cannot read. */
async function owesChanges(store: SharedStore): Promise<boolean> {
  const items = (await store.readAll('item')).map(({ value }) => readItem(value));
  return items.some((item) => !item || isWaiting(item) || isUnfinished(item) || isInReview(item));
}

/** By row: a wrapper that encrypts has rows of its own, which stay. */
async function emptied(store: SharedStore): Promise<StoreChange[]> {
  const rows = await Promise.all(
    tables.map(async (table) => (await store.readAll(table)).map(({ key }): StoreChange => ({ delete: table, key }))),
  );
  return rows.flat();
}
