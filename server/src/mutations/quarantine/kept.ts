import type { Actor, Decision, KeptMutation } from '../change.ts';
import { readContent, sha256, type Item, type Meaning } from '../item.ts';

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
