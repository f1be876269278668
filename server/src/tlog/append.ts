import { randomBytes } from 'node:crypto';
import { reportIncident } from '../incidents/sql.ts';
import type { Queryable, Tx } from '../db/types.ts';
import { waitingFacts, type RouteFact, type Wanted } from './facts.ts';
import { checkpointText, readCheckpoint, type Checkpoint } from './format/checkpoint.ts';
import { leafHash, rootOf, type ReadHashes } from './format/merkle.ts';
import { ED25519, keyText, noteText, signText } from './format/note.ts';
import { edgeOf, growTiles, hashInTile, tileOf, type TilePlace } from './format/tiles.ts';
import type { LogKey } from './keys.ts';
import { entryOf, originOf, SALT_BYTES, type Fact, type LogId } from './log.ts';
import type { Seen } from './newest-checkpoints.ts';
import * as sql from './log-sql.ts';

/** The input of one transaction that appends to a log. */
export interface Appending {
  readonly wanted: Wanted;
  readonly host: string;
  /** This server's keys, the newest first. */
  readonly keys: readonly LogKey[];
  /** The newest checkpoint that this server has seen of the log. */
  readonly seen: Seen | undefined;
  readonly now: Date;
}

/** The signed result; undefined where nothing waits. */
export interface Appended {
  readonly newest: Seen;
  /** The number of facts, to be compared with the limit. */
  readonly facts: number;
}

/** The log's key is not among the keys of this server. */
export class ForeignKey extends Error {}

/** Another server has begun the generation just now: the next try finds it. */
export class JustBegun extends Error {}

/** The present generation of a log, locked. */
interface Head extends LogId {
  readonly origin: string;
  readonly epoch: number;
  readonly size: number;
  readonly key: Buffer | undefined;
}

/**
 * Appends the waiting facts of a log and signs its checkpoint, in one transaction: each leaf in the database has a
 * signed checkpoint that covers it.
 */
export async function appendFacts(tx: Tx, appending: Appending): Promise<Appended | undefined> {
  const { wanted, seen, now } = appending;
  const { facility } = wanted;
  const opened = await openGeneration(tx, appending);
  const facts = await waitingFacts(tx, wanted);
  if (facts.length + opened.leaves.length === 0) {
    const newest = opened.head && (await readSeen(tx, opened.head));
    return newest && newest.checkpoint.size !== seen?.checkpoint.size ? { newest, facts: 0 } : undefined;
  }
  const head = opened.head ?? (await begin(tx, appending, opened.next, opened.epoch));
  const change = keyChange(appending.keys, head, now);
  const added = [...opened.leaves, ...(change ? [change.fact] : []), ...facts];
  const salts = randomBytes(added.length * SALT_BYTES);
  const leaves = added.map((fact, at) => {
    const salt = salts.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES);
    return { index: head.size + at, kind: fact.kind, source: fact.source, entry: entryOf(fact, salt, now), fact, salt };
  });
  const checkpoint = await grow(tx, head, leaves);
  const note = sign(checkpoint, change ? [change.before, change.after] : [signerOf(appending.keys, head)]);
  const id = [facility, head.generation];
  const salted = leaves.filter(({ fact }) => fact.personal !== undefined);
  await tx.query(sql.saveLeaves, [...id, ...sql.saveLeaves.parameters(leaves)]);
  if (salted.length > 0) await tx.query(sql.saveSalts, [...id, ...sql.saveSalts.parameters(salted)]);
  if (change) await tx.query(sql.addKey, [...id, checkpoint.size, change.after.public]);
  const progress = progressOf(facts);
  if (progress.length > 0) await tx.query(sql.saveProgress, [facility, ...sql.saveProgress.parameters(progress)]);
  await tx.query(sql.saveCheckpoint, [...id, checkpoint.size, now, note]);
  return { newest: { generation: head.generation, epoch: head.epoch, note, checkpoint }, facts: facts.length };
}

interface Opened {
  readonly head: Head | undefined;
  readonly epoch: number;
  /** The generation to begin where there is none. */
  readonly next: number;
  /** The first leaf of a further generation. */
  readonly leaves: readonly Fact[];
}

/**
 * Locks the present generation. A database that is behind the newest seen checkpoint, differs from it, or lives a later
 * epoch never continues that log: a checkpoint of another history would contradict the former ones.
 */
async function openGeneration(tx: Tx, appending: Appending): Promise<Opened> {
  const { seen, now } = appending;
  const { facility } = appending.wanted;
  const [row] = (await tx.query<Omit<Head, 'facility'>>(sql.lockLog, [facility])).rows;
  const [state] = (await tx.query<{ epoch: number; newest: number }>(sql.readEpoch, [facility])).rows;
  const { epoch = 1, newest = 0 } = state ?? {};
  const head: Head | undefined = row && { ...row, facility };
  const isAnnounced = epoch !== (row?.epoch ?? seen?.epoch ?? epoch);
  const reason = await reasonToEnd(tx, head, seen, isAnnounced);
  const next = Math.max(newest, seen?.generation ?? 0) + 1;
  if (reason === undefined) return { head, epoch, next, leaves: [] };
  const former = await formerOf(tx, head, seen);
  const begun = await begin(tx, appending, next, epoch);
  if (head) await tx.query(sql.endLog, [facility, head.generation, now]);
  const fields = {
    reason,
    server_epoch: epoch,
    former: former && { origin: former.origin, size: former.size, root: former.root.toString('base64') },
  };
  // A new epoch has an incident of its own.
  if (!isAnnounced)
    await tx.query(reportIncident, ['log_began_anew', JSON.stringify({ origin: begun.origin, ...fields })]);
  return { head: begun, epoch, next, leaves: [{ kind: 'epoch', source: begun.origin, at: now, fields }] };
}

/** Why the present generation must end; undefined where it goes on. */
async function reasonToEnd(
  tx: Tx,
  head: Head | undefined,
  seen: Seen | undefined,
  isOtherEpoch: boolean,
): Promise<string | undefined> {
  if (isOtherEpoch) return 'the server began a new epoch';
  if (!seen || (head && head.generation > seen.generation)) return undefined;
  if (!head || head.generation < seen.generation) return 'the database does not have the log';
  if (head.size < seen.checkpoint.size) return 'the database is behind the newest checkpoint';
  const isSame = await isSameTree(tx, head, seen.checkpoint);
  return isSame ? undefined : 'the database differs from the newest checkpoint';
}

async function isSameTree(tx: Tx, head: Head, { size, root }: Checkpoint): Promise<boolean> {
  try {
    return (await rootOf(size, hashesOf(tx, head))).equals(root);
  } catch (error) {
    // A tile is missing or too short.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The largest checkpoint of the ended generation: the seen one, or that of the database. */
async function formerOf(tx: Tx, head: Head | undefined, seen: Seen | undefined): Promise<Checkpoint | undefined> {
  const stored = head && (await readSeen(tx, head));
  const isSeenLater =
    seen && (!stored || seen.generation > stored.generation || seen.checkpoint.size >= stored.checkpoint.size);
  return isSeenLater ? seen.checkpoint : stored?.checkpoint;
}

async function begin(tx: Tx, { wanted, host, keys, now }: Appending, generation: number, epoch: number): Promise<Head> {
  const id = { facility: wanted.facility, generation };
  const origin = originOf(host, id);
  const [key] = keys;
  if (!key) throw new ForeignKey('this server has no key');
  const { rowCount } = await tx.query(sql.beginLog, [id.facility, generation, origin, epoch, now]);
  if (rowCount !== 1) throw new JustBegun(origin);
  await tx.query(sql.addKey, [id.facility, generation, 0, key.public]);
  return { ...id, origin, epoch, size: 0, key: key.public };
}

/** @throws ForeignKey */
function signerOf(keys: readonly LogKey[], { origin, key }: Head): LogKey {
  const signer = key && keys.find((one) => one.public.equals(key));
  if (!signer) throw new ForeignKey(`this server lacks the key of the log ${origin}`);
  return signer;
}

/** The newest key of this server is not yet that of the log: a leaf names it, and both keys sign the checkpoint. */
function keyChange(
  keys: readonly LogKey[],
  head: Head,
  now: Date,
): { fact: Fact; before: LogKey; after: LogKey } | undefined {
  const before = signerOf(keys, head);
  const [after] = keys;
  if (!after || after.public.equals(before.public)) return undefined;
  const key = keyText({ name: head.origin, algorithm: ED25519, key: after.public });
  return { before, after, fact: { kind: 'key', source: key, at: now, fields: {} } };
}

/** Appends leaves to the tiles, and returns the checkpoint to sign. */
async function grow(tx: Tx, head: Head, leaves: readonly { readonly entry: string }[]): Promise<Checkpoint> {
  const id = [head.facility, head.generation];
  const edge = new Map((await readTiles(tx, head, edgeOf(head.size))).map(({ place, bytes }) => [place.level, bytes]));
  const hashes = leaves.map(({ entry }) => leafHash(Buffer.from(entry)));
  const grown = growTiles(head.size, edge, hashes);
  await tx.query(sql.saveTiles, [...id, ...sql.saveTiles.parameters(grown)]);
  const size = head.size + leaves.length;
  return { origin: head.origin, size, root: await rootOf(size, hashesOf(tx, head)) };
}

const sign = (checkpoint: Checkpoint, keys: readonly LogKey[]): string => {
  const text = checkpointText(checkpoint);
  return noteText({ text, signatures: keys.map((key) => signText(text, checkpoint.origin, key.private)) });
};

async function readTiles(
  db: Queryable,
  { facility, generation }: LogId,
  places: readonly TilePlace[],
): Promise<sql.TileRow[]> {
  if (places.length === 0) return [];
  const values = [facility, generation, ...sql.readTiles.parameters(places)];
  const { rows } = await db.query<TilePlace & { hashes: Buffer }>(sql.readTiles, values);
  return rows.map(({ level, index, hashes }) => ({ place: { level, index }, bytes: hashes }));
}

/** Reads hashes of subtrees from the stored tiles, each tile once. */
export const hashesOf =
  (db: Queryable, id: LogId): ReadHashes =>
  async (subtrees) => {
    const placed = subtrees.map((subtree) => ({ subtree, place: tileOf(subtree).place }));
    const nameOfTile = ({ level, index }: TilePlace): string => `${level}/${index}`;
    const places = new Map(placed.map(({ place }) => [nameOfTile(place), place]));
    const stored = await readTiles(db, id, [...places.values()]);
    const tiles = new Map(stored.map(({ place, bytes }) => [nameOfTile(place), bytes]));
    return placed.map(({ subtree, place }) => hashInTile(subtree, tiles.get(nameOfTile(place)) ?? Buffer.alloc(0)));
  };

/** The newest stored checkpoint of a generation. */
async function readSeen(db: Queryable, { facility, generation }: LogId): Promise<Seen | undefined> {
  const { rows } = await db.query<{ epoch: number; note: string }>(sql.readCheckpoint, [facility, generation]);
  const [row] = rows;
  return row && { generation, ...row, checkpoint: readCheckpoint(row.note).checkpoint };
}

/** Up to which version, and up to which confirmation of the host, each route is in the log. */
function progressOf(facts: readonly RouteFact[]): sql.ProgressRow[] {
  const routes = new Map<string, sql.ProgressRow>();
  for (const { route } of facts) {
    if (!route) continue;
    const { route_id, week_end, version = 0, confirmed = null } = route;
    const name = JSON.stringify([route_id, week_end]);
    const known = routes.get(name);
    routes.set(name, {
      route_id,
      week_end,
      version: Math.max(version, known?.version ?? 0),
      confirmed: later(confirmed, known?.confirmed ?? null),
    });
  }
  return [...routes.values()];
}

const later = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one;
