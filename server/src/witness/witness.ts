import type { KeyObject } from 'node:crypto';
import { cosign, parseAddCheckpoint, readCheckpoint } from '../tlog/format/checkpoint.ts';
import { emptyRoot } from '../tlog/format/merkle.ts';
import { isSignedByAny, keyIdOf, noteText, signatureLine, type Note, type NoteKey } from '../tlog/format/note.ts';
import { isConsistent } from '../tlog/format/verify.ts';

/** The key of a witness. */
export interface WitnessKey {
  readonly name: string;
  readonly private: KeyObject;
}

/** The keys of an origin; undefined for an unknown log. */
export type FindKeys = (origin: string) => readonly NoteKey[] | undefined;

/** The answer to a request. */
export interface Verdict {
  readonly status: 200 | 400 | 403 | 404 | 409 | 413 | 422;
  readonly body: string;
  /** `text/plain` unless the body is the size of the newest checkpoint. */
  readonly type?: 'text/x.tlog.size';
  /** A sentence for the operator of the witness. */
  readonly warning?: string;
  /** The signed checkpoint, which must be on the disk before the answer is sent. */
  readonly keep?: { readonly origin: string; readonly note: string };
}

/**
 * Decides about a request `add-checkpoint` (c2sp.org/tlog-witness). Pure. A witness signs a checkpoint only if the log
 * begins with all leaves that it has seen before: no log has two histories under its signature.
 *
 * @param newestOf the note of the newest checkpoint that it has signed for a log
 * @throws NoteError that names the line
 */
export function decide(
  body: string,
  newestOf: (origin: string) => string | undefined,
  keysOf: FindKeys,
  key: WitnessKey,
  now: Date,
): Verdict {
  const request = parseAddCheckpoint(body);
  const { note, checkpoint } = readCheckpoint(request.checkpoint);
  const { origin, size, root } = checkpoint;
  const keys = keysOf(origin);
  if (!keys) return { status: 404, body: `the log ${origin} is unknown here` };
  if (!isSignedByAny(note, keys)) return { status: 403, body: `no known key of ${origin} has signed the checkpoint` };
  if (request.oldSize > size) return { status: 400, body: `the old size ${request.oldSize} is larger than ${size}` };
  const newest = newestOf(origin);
  const seen = newest === undefined ? { size: 0, root: emptyRoot() } : readCheckpoint(newest).checkpoint;
  if (request.oldSize !== seen.size) {
    const rollback = `roll-back: ${origin} has signed size ${size} and, before or after it, size ${seen.size}`;
    const conflict: Verdict = { status: 409, body: `${seen.size}\n`, type: 'text/x.tlog.size' };
    return size < seen.size ? { ...conflict, warning: rollback } : conflict;
  }
  if (size === seen.size && !root.equals(seen.root))
    return refuse(409, `fork: ${origin} has signed two roots of size ${size}`);
  if (!isConsistent(seen, checkpoint, request.proof))
    return refuse(
      422,
      `fork or wrong proof: ${origin} of size ${size} does not begin with the ${seen.size} known leaves`,
    );
  const cosignature = cosign(note.text, key.name, key.private, now);
  const signatures = [...note.signatures.filter(isOf(keys)), cosignature];
  return {
    status: 200,
    body: `${signatureLine(cosignature)}\n`,
    keep: { origin, note: noteText({ text: note.text, signatures }) },
  };
}

const refuse = (status: 409 | 422, body: string): Verdict => ({ status, body, warning: body });

const isOf = (keys: readonly NoteKey[]) => (signature: Note['signatures'][number]) =>
  keys.some((key) => key.name === signature.name && keyIdOf(key) === signature.keyId);
