import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { ObjectStore } from '../../object-store/object-store.ts';
import {
  addStore,
  announceMark,
  claimStore,
  confirmMark,
  disputeStore,
  findPlaceOfDatabase,
  releaseStore,
  type StoreRow,
} from './sql.ts';

// The right of a database to delete objects. A copy of it has the same rows, and the same settings by mistake: then two
// databases would delete each other's files. Each sweep puts a mark into the store and into the database. A sweep that
// finds another mark, or a dispute, deletes nothing, and writes a dispute that stops the other database, too.

/** The part of the store with the new objects of a database. */
export interface Place {
  /** The beginning of their keys, with a slash at its end. */
  readonly prefix: string;
  readonly epoch: number;
}

export interface OwnerDeps {
  readonly db: Queryable;
  readonly store: ObjectStore;
  readonly place: Place;
  readonly clock: () => Date;
  readonly log: Log;
}

/** The longest sweep; its process may have been killed. */
const claimMs = 300_000;

/** Not the beginning of any object's name: these are UUIDs. */
const markOf = (prefix: string): string => `${prefix}.owner`;
const disputeOf = (prefix: string): string => `${prefix}.disputed`;

/**
 * Reads the place of this database: its cell (schema), its PostgreSQL and its epoch. A database that was dumped and
 * restored, or put back to a backup, has another one.
 */
export async function readPlace(db: Queryable): Promise<Place> {
  const { rows } = await db.query<{ cell: string; cluster: string; epoch: number }>(findPlaceOfDatabase);
  const [row] = rows;
  if (!row) throw new Error('the database has no epoch yet');
  return { prefix: `${row.cell}/${row.cluster}/${row.epoch}/`, epoch: row.epoch };
}

/** Registers a place as one that this database may delete from. */
export async function ownPlace(db: Queryable, { prefix, epoch }: Place): Promise<void> {
  await db.query(addStore, [prefix, epoch]);
}

/**
 * Works on a part of the store while no other process does, if this database owns it.
 * @returns whether it did
 */
export async function withStore(
  { db, store, clock, log }: Omit<OwnerDeps, 'place'>,
  prefix: string,
  work: (row: StoreRow, until: Date) => Promise<void>,
): Promise<boolean> {
  const until = new Date(clock().getTime() + claimMs);
  const { rows } = await db.query<StoreRow>(claimStore, [prefix, clock(), until]);
  const [row] = rows;
  if (!row) return false;
  try {
    if (!(await confirmOwner({ db, store, clock, log }, row))) return false;
    await work(row, until);
    return true;
  } finally {
    await db.query(releaseStore, [prefix]);
  }
}

async function confirmOwner({ db, store, clock, log }: Omit<OwnerDeps, 'place'>, row: StoreRow): Promise<boolean> {
  const { prefix, mark, next_mark: next } = row;
  const present = await store.readText(markOf(prefix));
  const isOurs = mark === null && next === null ? present === undefined : [mark, next].includes(present ?? null);
  const isDisputed = (await store.sizeOf(disputeOf(prefix))) !== undefined;
  if (!isOurs || isDisputed) {
    if (!isDisputed) await store.put(disputeOf(prefix), Buffer.from(`${clock().toISOString()}\n`));
    await db.query(disputeStore, [prefix, clock()]);
    log.error(
      { prefix },
      'another database uses the same objects: nothing is deleted from the store until npm run ops -- files adopt',
    );
    return false;
  }
  const fresh = randomUUID();
  // First here, then there: a crash in between leaves two known marks.
  await db.query(announceMark, [prefix, fresh]);
  await store.put(markOf(prefix), Buffer.from(fresh));
  await db.query(confirmMark, [prefix, fresh]);
  return true;
}

/** Takes a part of the store over, after a person has made sure that no other database uses it. */
export async function adoptPrefix({ db, store }: Pick<OwnerDeps, 'db' | 'store'>, place: Place): Promise<void> {
  const { prefix } = place;
  await ownPlace(db, place);
  const fresh = randomUUID();
  await db.query(announceMark, [prefix, fresh]);
  await store.put(markOf(prefix), Buffer.from(fresh));
  await db.query(confirmMark, [prefix, fresh]);
  await store.delete([disputeOf(prefix)]);
}
