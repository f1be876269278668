import { readContent, sha256, type Item, type Meaning } from './item.ts';
import type { Actor, PathSet } from './change.ts';

/** A mutation as the quarantine keeps it. */
export interface KeptMutation {
  readonly id: string;
  /** Of `body`, as it was when it came. */
  readonly hash: Buffer;
  readonly body: Buffer;
  readonly name: string;
  readonly employee: string;
  readonly source: Item['source'];
  readonly paths: PathSet;
  readonly capturedAt: Date | null;
  /** Null where none could be told: its receipt counts. */
  readonly editTime: Date | null;
  readonly receivedAt: Date;
  /** Where it stood in its queue; null where it came by none. */
  readonly place: QueuePlace | null;
}

export interface QueuePlace {
  readonly clientId: string;
  readonly seq: number;
  /** The link to the item before it, base64url; null for the first. */
  readonly prevHash: string | null;
}

/** A person's word that something which was kept is to be applied after all. */
export interface Decision {
  readonly by: string;
  readonly note: string;
}

/**
 * The item that it would have been: the same identity, author and times, nothing added and nothing taken away. Its queue
 * has gone on behind it, so that it is taken by itself.
 */
export function itemOfKept(kept: KeptMutation, { by, note }: Decision): Item {
  const { id, hash, name, source, paths, capturedAt, receivedAt, place } = kept;
  return {
    id,
    hash,
    body: kept.body.toString(),
    name,
    source,
    actor: authorOf(kept),
    paths,
    receivedAt,
    capturedAt,
    editTime: kept.editTime ?? receivedAt,
    queued: null,
    dedupeByContent: false,
    meaning: meaningOf(kept),
    release: { by, note, place },
  };
}

/** A body that is not what its hash was taken of says nothing any more that could be applied in its author's name. */
function meaningOf({ body, hash }: KeptMutation): Meaning {
  if (sha256(body.toString()).equals(hash)) return readContent(body.toString());
  const reason = 'the text is not what came: its hash is another one';
  return { kind: 'unreadable', fault: { code: 'VALIDATION_FAILED', reason, details: [] } };
}

function authorOf({ source, employee }: KeptMutation): Actor {
  if (source === 'office') return { kind: 'office', user: employee };
  if (source === 'timer') return { kind: 'timer' };
  return employee === '' ? { kind: 'anybody' } : { kind: 'driver', employee };
}
