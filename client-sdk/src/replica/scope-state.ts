import { addToChecksum } from '@tailgate/sync-protocol';
import type { Cursor, PatchFrame, Scope } from '@tailgate/sync-protocol';
import type { Read } from '../store/reading.ts';
import { anything, fields, listOf, number, optional, text } from '../store/reading.ts';
import type { Store, StoreChange } from '../store/store.ts';

export interface LocalDocument {
  readonly version: number;
  readonly value: unknown;
}

/** What is stored of a scope beside its documents. */
const isScopeHead = fields({
  epoch: text,
  version: number,
  hosted_through: number,
  parked: listOf(number),
  /** Stops that name files which the server does not have. */
  awaited: optional(listOf(number)),
});
export type ScopeHead = Read<typeof isScopeHead>;
const isDocument = fields({ version: number, value: anything });

/** The feed's news of a scope; a snapshot is one from nothing. */
export type Patch = Omit<PatchFrame, 'type'>;

export type Applied =
  | { readonly kind: 'applied'; readonly changed: ReadonlySet<string> }
  /** Something is missing in between: ask again from our cursor. */
  | { readonly kind: 'gap' }
  /** Another epoch, or documents that do not add up: only the whole scope helps. */
  | { readonly kind: 'diverged' };

/** The local copy of one scope. */
export class ScopeState {
  readonly scope: Scope;
  readonly documents = new Map<string, LocalDocument>();
  #head: ScopeHead | undefined;
  #sum = 0;
  #foreign = false;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  /** Undefined until the scope was received once. */
  get head(): ScopeHead | undefined {
    return this.#head;
  }

  /**
   * The head as answers may be compared with it: undefined, too, between a server's new epoch and the documents of it.
   * What the server answers meanwhile counts in the new epoch, our head in the old one (I9).
   */
  get standing(): ScopeHead | undefined {
    return this.#foreign ? undefined : this.#head;
  }

  /** The server lives this epoch now. */
  enterEpoch(epoch: string): void {
    const held = this.#head?.epoch;
    this.#foreign = held !== undefined && held !== epoch && !held.startsWith(`${epoch}.`);
  }

  get cursor(): Cursor | null {
    return this.#head ? { epoch: this.#head.epoch, version: this.#head.version } : null;
  }

  /** Takes a patch in, whole or not at all. */
  apply(patch: Patch): Applied {
    if (patch.from === null) return this.#replace(patch);
    const head = this.#head;
    if (!head || head.epoch !== patch.epoch) return { kind: 'diverged' };
    if (patch.from > head.version) return { kind: 'gap' };
    if (patch.to < head.version) return { kind: 'applied', changed: new Set() };

    const newer = patch.docs.filter((doc) => doc.version > (this.documents.get(doc.key)?.version ?? -1));
    const deleted = patch.deletes.filter((key) => this.documents.has(key));
    let sum = this.#sum;
    for (const key of [...newer.map((doc) => doc.key), ...deleted]) {
      const held = this.documents.get(key);
      if (held) sum = addToChecksum(sum, key, held.version, -1);
    }
    for (const doc of newer) sum = addToChecksum(sum, doc.key, doc.version);
    if (sum !== patch.checksum) return { kind: 'diverged' };

    for (const key of deleted) this.documents.delete(key);
    for (const { key, version, value } of newer) this.documents.set(key, { version, value });
    this.#sum = sum;
    this.#head = headAfter(patch, head);
    return { kind: 'applied', changed: new Set([...newer.map((doc) => doc.key), ...deleted]) };
  }

  #replace(patch: Patch): Applied {
    const sum = patch.docs.reduce((total, doc) => addToChecksum(total, doc.key, doc.version), 0);
    if (sum !== patch.checksum) return { kind: 'diverged' };
    const changed = new Set([...this.documents.keys(), ...patch.docs.map((doc) => doc.key)]);
    this.documents.clear();
    for (const { key, version, value } of patch.docs) this.documents.set(key, { version, value });
    this.#sum = sum;
    this.#foreign = false;
    this.#head = headAfter(patch, undefined);
    return { kind: 'applied', changed };
  }

  /** What to store after a patch: all of it in one transaction. */
  changes(changed: ReadonlySet<string>, whole: boolean): StoreChange[] {
    if (!this.#head) return [];
    const rows: StoreChange[] = whole ? [{ deleteAll: 'document', prefix: documentKey(this.scope, '') }] : [];
    for (const key of changed) {
      const document = this.documents.get(key);
      const row = documentKey(this.scope, key);
      if (document) rows.push({ put: 'document', key: row, value: document });
      else if (!whole) rows.push({ delete: 'document', key: row });
    }
    rows.push({ put: 'scope', key: this.scope, value: this.#head });
    return rows;
  }

  /** Puts back what was stored. */
  restore(head: ScopeHead, documents: Iterable<[string, LocalDocument]>): void {
    this.#head = head;
    for (const [key, document] of documents) {
      this.documents.set(key, document);
      this.#sum = addToChecksum(this.#sum, key, document.version);
    }
  }
}

/** Scopes hold no line breaks. */
const documentKey = (scope: Scope, key: string): string => `${scope}\n${key}`;

export const forgetScope = (scope: Scope): StoreChange[] => [
  { deleteAll: 'document', prefix: documentKey(scope, '') },
  { delete: 'scope', key: scope },
];

function headAfter(patch: Patch, before: ScopeHead | undefined): ScopeHead {
  return {
    epoch: patch.epoch,
    version: patch.to,
    hosted_through: patch.hosted_through ?? before?.hosted_through ?? 0,
    parked: patch.parked?.map(({ stop }) => stop) ?? before?.parked ?? [],
    awaited: patch.awaited ?? before?.awaited,
  };
}

/** Reads all scopes from storage. What is damaged is left out: the feed brings it again. */
export async function openScopes(store: Store): Promise<Map<Scope, ScopeState>> {
  const [heads, documents] = await Promise.all([store.readAll('scope'), store.readAll('document')]);
  const byScope = new Map<Scope, [string, LocalDocument][]>();
  for (const { key, value } of documents) {
    const [scope = '', name = ''] = key.split('\n');
    if (!isDocument(value)) continue;
    const list = byScope.get(scope) ?? [];
    byScope.set(scope, list);
    list.push([name, value]);
  }
  const scopes = new Map<Scope, ScopeState>();
  for (const { key, value } of heads) {
    if (!isScopeHead(value)) continue;
    const state = new ScopeState(key);
    state.restore(value, byScope.get(key) ?? []);
    scopes.set(key, state);
  }
  return scopes;
}
