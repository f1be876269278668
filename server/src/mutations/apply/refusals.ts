import type { RouteKey } from '@tailgate/sync-protocol';
import type { Fault, Item } from '../change.ts';
import { authorOf } from '../item.ts';
import type { AuthoredContent, RepeatedRefusal } from '../quarantine/quarantine-sql.ts';

export interface QuarantineEntry {
  readonly quarantineId: string;
  readonly item: Item;
  readonly fault: Fault;
  /** Null where the server could not compute one. */
  readonly editTime: number | null;
  readonly key: RouteKey | null;
  readonly stop: number | null;
  readonly clientVersion: number;
}

/** An entry that is not released; `id` is the id of its mutation. */
export interface OpenRefusal {
  readonly quarantineId: string;
  readonly id: string;
}

/** Undefined for an item of a queue, whose id is its identity, and for an item that an operator releases. */
export function contentWithoutQueue(item: Item): AuthoredContent | undefined {
  if (item.queued || item.release) return undefined;
  return { source: item.source, author: authorOf(item), hash: item.hash };
}

export const contentName = ({ source, author, hash }: AuthoredContent): string =>
  `${hash.toString('base64url')} ${source} ${author}`;

/**
 * The quarantine entries of a batch. A retry without a queue has a new id each time; its content finds the entry
 * (decision 79).
 */
export class Refusals {
  readonly #loaded: ReadonlyMap<string, OpenRefusal>;
  readonly #added = new Map<string, OpenRefusal>();
  readonly #repeated = new Map<string, RepeatedRefusal>();
  readonly entries: QuarantineEntry[] = [];

  constructor(loaded: ReadonlyMap<string, OpenRefusal>) {
    this.#loaded = loaded;
  }

  get repeated(): RepeatedRefusal[] {
    return [...this.#repeated.values()];
  }

  /** Finds the entry with the same content and author. */
  findOpen(item: Item): OpenRefusal | undefined {
    const content = contentWithoutQueue(item);
    if (!content) return undefined;
    const name = contentName(content);
    return this.#added.get(name) ?? this.#loaded.get(name);
  }

  add(entry: QuarantineEntry): void {
    const { item, fault, editTime } = entry;
    const content = fault === idReused ? undefined : contentWithoutQueue(item);
    const findOpen = content && this.findOpen(item);
    if (findOpen) {
      const { quarantineId } = findOpen;
      const attempts = (this.#repeated.get(quarantineId)?.attempts ?? 0) + 1;
      this.#repeated.set(quarantineId, { quarantineId, item, fault, editTime, attempts });
      return;
    }
    this.entries.push(entry);
    if (content) this.#added.set(contentName(content), { quarantineId: entry.quarantineId, id: item.id });
  }
}

export const fault = (code: Fault['code'], reason: string): Fault => ({ code, reason, details: [] });
export const idReused = fault('ID_REUSED', 'this id came before with another content');
export const queueOfUnregistered = fault('CLIENT_REVOKED', 'an operator has unregistered the driver of this queue');
