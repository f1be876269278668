import type { Scope } from '@tailgate/sync-protocol';
import { addToChecksum } from '@tailgate/sync-protocol';
import type { RouteCommit } from '../mutations/change.ts';
import type { Hosted, PatchContent, TextDocument } from './patch-text.ts';
import type { ReadDocument, Reading } from './scope-readings.ts';

/**
 * The state of a scope on this node: enough to find a follower's missing documents and to compute the checksum, without
 * the documents themselves. A head is a value: `take…` returns the next head and leaves the old one unchanged, but for
 * `versions`, which belongs to the newest.
 */
export interface Head {
  readonly scope: Scope;
  /** The route's epoch; 0 for other scopes. */
  readonly epoch: number;
  readonly version: number;
  readonly versions: Map<string, number>;
  readonly checksum: number;
  readonly hosted: Hosted | null;
  /** Stops of a route with files that have not arrived, in order. */
  readonly awaited: readonly number[] | null;
  /** Null where the scope's name determines the readers. */
  readonly drivers: ReadonlySet<string> | null;
}

/** A change of a head: the changed documents, without texts that no follower needs. */
export interface Step {
  readonly head: Head;
  readonly documents: readonly ReadDocument[];
  readonly deletes: readonly string[];
}

/**
 * The epoch in cursors and snapshots. A route's epoch has two parts: that of the database, and that of the route under its
 * key.
 */
export const epochName = (serverEpoch: number, { epoch }: Pick<Head, 'epoch'>): string =>
  epoch === 0 ? `${serverEpoch}` : `${serverEpoch}.${epoch}`;

/** The head of a scope that was read from its beginning. */
export function newHead(scope: Scope, reading: Reading): Head {
  const blank = { scope, epoch: reading.epoch, version: -1, versions: new Map<string, number>(), checksum: 0 };
  return applyReading({ ...blank, hosted: null, awaited: null, drivers: null }, reading).head;
}

/** Applies a reading of the same epoch that reaches back to the head's version or further. */
export function applyReading(head: Head, reading: Reading): Step {
  const documents = reading.documents.filter(({ version }) => version > head.version);
  const deletes = reading.deletes.filter(({ version }) => version > head.version).map(({ key }) => key);
  const replaced = reading.whole && reading.version > head.version;
  const checksum = update(head.versions, replaced ? clear(head.versions) : head.checksum, documents, deletes);
  const { version, hosted, awaited } = reading;
  const next = { ...head, version, checksum, hosted, awaited, drivers: reading.drivers ?? head.drivers };
  return { head: next, documents, deletes };
}

/**
 * Applies a commit of this node. `old`: already known. `gap`: an earlier change is missing, so the scope must be read.
 */
export function applyCommit(head: Head, commit: RouteCommit): Step | 'old' | 'gap' {
  if (commit.epoch !== head.epoch) return 'gap';
  if (commit.to <= head.version) return 'old';
  if (commit.from !== head.version) return 'gap';
  const checksum = update(head.versions, head.checksum, commit.documents, []);
  const awaited = awaitedAfter(head.awaited ?? [], commit.evidence);
  return { head: { ...head, version: commit.to, checksum, awaited }, documents: commit.documents, deletes: [] };
}

function awaitedAfter(before: readonly number[], evidence: RouteCommit['evidence']): readonly number[] {
  if (evidence.length === 0) return before;
  const after = new Set(before);
  for (const { stop, awaited } of evidence) {
    if (awaited) after.add(stop);
    else after.delete(stop);
  }
  return [...after].sort((a, b) => a - b);
}

/** The number of documents that a replica at `version` lacks. */
export function countAbove(head: Head, version: number): number {
  let count = 0;
  for (const each of head.versions.values()) if (each > version) count++;
  return count;
}

type Receipts = Pick<Head, 'hosted' | 'awaited'>;

/** Whether all receipts are equal: of the host, and of arrived files. */
export const sameReceipts = (a: Receipts, b: Receipts): boolean =>
  (a.hosted === b.hosted && a.awaited === b.awaited) || receiptsText(a) === receiptsText(b);
const receiptsText = ({ hosted, awaited }: Receipts): string => JSON.stringify([hosted, awaited]);

export const contentOf = (
  head: Head,
  epoch: string,
  documents: readonly TextDocument[],
  deletes: readonly string[],
): PatchContent => ({
  scope: head.scope,
  epoch,
  to: head.version,
  documents,
  deletes,
  hosted: head.hosted,
  awaited: head.awaited,
  checksum: head.checksum,
});

/** Documents with a text. The others are already known to every follower. */
export const withText = (documents: readonly ReadDocument[]): TextDocument[] =>
  documents.flatMap(({ key, version, text }) => (text === null ? [] : [{ key, version, text }]));

function clear(versions: Map<string, number>): number {
  versions.clear();
  return 0;
}

function update(
  versions: Map<string, number>,
  checksum: number,
  documents: readonly { readonly key: string; readonly version: number }[],
  deletes: readonly string[],
): number {
  let sum = checksum;
  const forget = (key: string): void => {
    const before = versions.get(key);
    if (before !== undefined) sum = addToChecksum(sum, key, before, -1);
  };
  for (const { key, version } of documents) {
    forget(key);
    versions.set(key, version);
    sum = addToChecksum(sum, key, version);
  }
  for (const key of deletes) {
    forget(key);
    versions.delete(key);
  }
  return sum;
}
