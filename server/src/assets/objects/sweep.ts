import { withStore, type OwnerDeps } from './owner.ts';
import { addGone, dropGone, findGone, findUnknown, listStores, saveListed, type StoreRow } from './sql.ts';

/** Longer than any upload waits for its next bytes (`resumable.ts`) and any request takes. */
const longestUploadMs = 8 * 24 * 3_600_000;
/** Between the loss of the row and the deletion: a copy of this database is noticed by then (`owner.ts`). */
const goneMs = 24 * 3_600_000;
const deletedAtOnce = 1_000;

/**
 * Deletes the objects that no file names: those of deleted and refused files after a day, and what killed processes
 * left behind after the longest upload. It touches only keys of this database.
 * @throws StorageUnavailable
 */
export async function sweepObjects(deps: OwnerDeps): Promise<void> {
  const { rows } = await deps.db.query<StoreRow>(listStores, [deps.place.epoch]);
  for (const { prefix } of rows) {
    await withStore(deps, prefix, async (row, until) => {
      await listUnknown(deps, row, until);
      await deleteGone(deps, prefix, until);
    });
  }
}

/**
 * Finds objects without a row. Their names grow with time, so each is listed once in its life: the next sweep continues
 * behind the last one.
 */
async function listUnknown(
  { db, store, clock }: OwnerDeps,
  { prefix, listed_to }: StoreRow,
  until: Date,
): Promise<void> {
  const before = clock().getTime() - longestUploadMs;
  let after = listed_to;
  while (clock() < until) {
    const page = await store.list(prefix, after === '' ? prefix : after);
    const named = page.filter(({ key }) => Number.isFinite(nameTime(prefix, key)));
    // The store's own clock, too: a name with a wrong time deletes nothing early.
    const young = named.findIndex(
      ({ key, modifiedAt }) => nameTime(prefix, key) >= before || modifiedAt.getTime() >= before,
    );
    const old = young === -1 ? named : named.slice(0, young);
    const { rows } = await db.query<{ object: string }>(findUnknown, [old.map(({ key }) => key)]);
    if (rows.length > 0) await db.query(addGone, [rows.map(({ object }) => object), clock()]);
    const last = old.at(-1);
    if (last) await db.query(saveListed, [prefix, last.key]);
    const lastOfPage = page.at(-1);
    if (!lastOfPage || young !== -1) return;
    after = lastOfPage.key;
  }
}

async function deleteGone({ db, store, clock }: OwnerDeps, prefix: string, until: Date): Promise<void> {
  while (clock() < until) {
    const before = new Date(clock().getTime() - goneMs);
    const { rows } = await db.query<{ object: string }>(findGone, [prefix, endOf(prefix), before, deletedAtOnce]);
    const keys = rows.map(({ object }) => object);
    if (keys.length === 0) return;
    await store.delete(keys);
    await db.query(dropGone, [keys]);
  }
}

/** The time in a name (UUID version 7) in ms; −∞ for the mark and the dispute, which sort before all names. */
function nameTime(prefix: string, key: string): number {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(key.slice(prefix.length)) ?? [];
  return high === undefined || low === undefined ? -Infinity : Number.parseInt(high + low, 16);
}

/** The first key behind all keys with this beginning, which ends in a slash. */
const endOf = (prefix: string): string => `${prefix.slice(0, -1)}0`;
