import { exactBase64 } from './bytes.ts';
import { readNote, type Note } from './note.ts';
import type { Head } from './tree.ts';

// The texts of a log: checkpoints, proofs and growths. Each reader returns undefined for another text.

/** A checkpoint (c2sp.org/tlog-checkpoint): the signed size and root of a log. */
export interface Checkpoint extends Head {
  readonly origin: string;
  readonly note: Note;
}

function readCheckpoint(message: string): Checkpoint | undefined {
  const note = readNote(message);
  const [origin = '', size = '', root = ''] = note?.text.split('\n') ?? [];
  const head = headOf(size, root);
  return note && head && origin ? { origin, ...head, note } : undefined;
}

function headOf(sizeText: string, rootText: string): Head | undefined {
  const size = sizeOf(sizeText);
  const root = hashOf(rootText);
  return size === undefined || root === undefined ? undefined : { size, root };
}

function sizeOf(text: string): number | undefined {
  const size = Number(text);
  return /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(size) ? size : undefined;
}

const hashOf = (text: string): Uint8Array | undefined => {
  const bytes = exactBase64(text);
  return bytes?.length === 32 ? bytes : undefined;
};

/** A tree has fewer levels. */
const longestPath = 63;

function pathOf(lines: readonly string[]): readonly Uint8Array[] | undefined {
  const hashes = lines.flatMap((line) => hashOf(line) ?? []);
  return hashes.length === lines.length && hashes.length <= longestPath ? hashes : undefined;
}

/** The proof of an entry (c2sp.org/tlog-proof). */
export interface Proof {
  readonly index: number;
  readonly path: readonly Uint8Array[];
  readonly checkpoint: Checkpoint;
}

export function readProof(text: string): Proof | undefined {
  const blank = text.indexOf('\n\n');
  const [format, index = '', ...lines] = text.slice(0, blank).split('\n');
  const at = index.startsWith('index ') ? sizeOf(index.slice(6)) : undefined;
  const path = pathOf(lines);
  const checkpoint = readCheckpoint(text.slice(blank + 2));
  if (blank < 0 || format !== 'c2sp.org/tlog-proof@v1') return undefined;
  return at === undefined || !path || !checkpoint ? undefined : { index: at, path, checkpoint };
}

/** That the log of a pack begins with an earlier tree. */
export interface Growth {
  readonly origin: string;
  readonly earlier: Head;
  readonly path: readonly Uint8Array[];
}

/** Reads `log/consistency.txt`: blocks of an origin, `old SIZE ROOT`, and the hashes of the proof. */
export function readGrowths(text: string): readonly Growth[] | undefined {
  if (text === '') return [];
  if (!text.endsWith('\n\n')) return undefined;
  const blocks = text.slice(0, -2).split('\n\n');
  const growths = blocks.flatMap((block) => readGrowth(block) ?? []);
  return growths.length === blocks.length ? growths : undefined;
}

function readGrowth(block: string): Growth | undefined {
  const [origin = '', old = '', ...lines] = block.split('\n');
  const [word, size = '', root = '', ...more] = old.split(' ');
  const earlier = headOf(size, root);
  const path = pathOf(lines);
  if (origin === '' || word !== 'old' || more.length > 0 || !earlier || !path) return undefined;
  return { origin, earlier, path };
}

/** A checkpoint from elsewhere, and the proof of its growth since `since` leaves. */
export interface Elsewhere {
  readonly checkpoint: Checkpoint;
  readonly since: number | undefined;
  readonly path: readonly Uint8Array[];
}

/** Reads a checkpoint, alone or behind `old SIZE` and the hashes of a proof (c2sp.org/tlog-witness). */
export function readElsewhere(text: string): Elsewhere | undefined {
  if (!text.startsWith('old ')) {
    const checkpoint = readCheckpoint(text);
    return checkpoint && { checkpoint, since: undefined, path: [] };
  }
  const blank = text.indexOf('\n\n');
  const [old = '', ...lines] = text.slice(0, blank).split('\n');
  const since = sizeOf(old.slice(4));
  const path = pathOf(lines);
  const checkpoint = readCheckpoint(text.slice(blank + 2));
  return blank < 0 || since === undefined || !path || !checkpoint ? undefined : { checkpoint, since, path };
}
