import { addToChecksum, resultDocument } from '@tailgate/sync-protocol';
import type { Cursor, PatchFrame, Scope } from '@tailgate/sync-protocol';
import type { Read } from '../platform/reading.ts';
import { anything, fields, listOf, number, optional, text } from '../platform/reading.ts';
import type { Row, StoreChange } from '../store/store.ts';

export interface LocalDocument {
  readonly version: number;
  readonly value: unknown;
}

/** The stored form of a scope, without its documents. */
const isScopeHead = fields({
  epoch: text,
  version: number,
  hosted_through: number,
  shadow_through: optional(number),
  parked: listOf(number),
  /** Stops that name files which the server does not have. */
  awaited: optional(listOf(number)),
});
export type ScopeHead = Read<typeof isScopeHead>;
const isDocument = fields({ version: number, value: anything });

/** A change of a scope in the feed; a snapshot is a patch from nothing. */
export type Patch = Omit<PatchFrame, 'type'>;

/** The effect of a patch: keys of changed documents, and the rows to store in one transaction. */
export interface Applied {
  readonly changed: ReadonlySet<string>;
  readonly rows: readonly StoreChange[];
}

/**
 * `gap`: patches in between are missing, subscribe again from the local cursor. `diverged`: another epoch, or a wrong
 * checksum; only a snapshot helps.
 */
export type Refusal = 'gap' | 'diverged';

/** The local copy of one scope. */
export class ScopeState {
  readonly scope: Scope;
  /** Only `apply` changes it. */
  readonly documents: Map<string, LocalDocument>;
  /** Undefined until the scope was received once. */
  head: ScopeHead | undefined;
  #sum = 0;
  #foreign = false;

  /**
   * @param head as it was stored
   * @param documents as they were stored
   */
  constructor(scope: Scope, head?: ScopeHead, documents: Iterable<[string, LocalDocument]> = []) {
    this.scope = scope;
    this.head = head;
    this.documents = new Map(documents);
    for (const [key, { version }] of this.documents) this.#sum = addToChecksum(this.#sum, key, version);
  }

  /**
   * The head for comparisons with answers. It is undefined between the server's new epoch and the documents of that
   * epoch: the server's answers then count in the new epoch, the local head in the old one (I9).
   */
  get comparableHead(): ScopeHead | undefined {
    return this.#foreign ? undefined : this.head;
  }

  /** Sets the server's present epoch. */
  enterEpoch(epoch: string): void {
    const existing = this.head?.epoch;
    this.#foreign = existing !== undefined && existing !== epoch && !existing.startsWith(`${epoch}.`);
  }

  get cursor(): Cursor | null {
    return this.head ? { epoch: this.head.epoch, version: this.head.version } : null;
  }

  /** Applies a patch, whole or not at all. */
  apply(patch: Patch): Applied | Refusal {
    const whole = patch.from === null;
    const head = whole ? undefined : this.head;
    if (patch.from !== null) {
      if (head?.epoch !== patch.epoch) return 'diverged';
      if (patch.from > head.version) return 'gap';
      if (patch.to < head.version) return { changed: new Set(), rows: [] };
    }
    const { documents } = this;
    const next = new Map<string, LocalDocument | undefined>();
    for (const key of whole ? documents.keys() : patch.deletes) next.set(key, undefined);
    for (const { key, version, value } of patch.docs)
      if (next.has(key) || version > (documents.get(key)?.version ?? -1)) next.set(key, { version, value });
    let sum = this.#sum;
    for (const [key, document] of next) {
      const existing = documents.get(key);
      if (existing) sum = addToChecksum(sum, key, existing.version, -1);
      if (document) sum = addToChecksum(sum, key, document.version);
    }
    if (sum !== patch.checksum) return 'diverged';

    const changed = new Set(next.keys());
    this.#sum = sum;
    if (whole) this.#foreign = false;
    this.head = {
      epoch: patch.epoch,
      version: patch.to,
      hosted_through: patch.hosted_through ?? head?.hosted_through ?? 0,
      shadow_through: patch.shadow_through,
      parked: patch.parked?.map(({ stop }) => stop) ?? head?.parked ?? [],
      awaited: patch.awaited ?? head?.awaited,
    };
    const rows: StoreChange[] = whole ? forgetScope(this.scope) : [];
    for (const [name, value] of next) {
      const key = documentKey(this.scope, name);
      if (value) documents.set(name, value);
      else documents.delete(name);
      rows.push(value ? { put: 'document', key, value } : { delete: 'document', key });
    }
    rows.push({ put: 'scope', key: this.scope, value: this.head });
    // Views show this, too; no document changes with it, and an equal view is no change.
    for (const stop of [...(head?.parked ?? []), ...this.head.parked]) changed.add(resultDocument(stop));
    return { changed, rows };
  }
}

/** Scopes contain no line breaks. */
const documentKey = (scope: Scope, key: string): string => `${scope}\n${key}`;

export const forgetScope = (scope: Scope): StoreChange[] => [
  { deleteAll: 'document', prefix: documentKey(scope, '') },
  { delete: 'scope', key: scope },
];

/** Reads all stored scopes. Damaged ones are left out: the feed sends them again. */
export function readScopes(heads: readonly Row[], documents: readonly Row[]): Map<Scope, ScopeState> {
  const scopes = new Map<Scope, ScopeState>();
  for (const { key: scope, value: head } of heads) {
    const prefix = documentKey(scope, '');
    const existing = documents.flatMap(({ key, value }): [string, LocalDocument][] =>
      key.startsWith(prefix) && isDocument(value) ? [[key.slice(prefix.length), value]] : [],
    );
    if (isScopeHead(head)) scopes.set(scope, new ScopeState(scope, head, existing));
  }
  return scopes;
}
