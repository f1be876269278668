import { sign, type KeyObject } from 'node:crypto';
import { HASH_BYTES } from './merkle.ts';
import {
  COSIGNATURE,
  exactBase64,
  isSignedBy,
  keyIdOf,
  NoteError,
  parseNote,
  publicBytes,
  type Note,
  type NoteKey,
  type Signature,
} from './note.ts';
import type { Head } from './verify.ts';

/** A checkpoint (c2sp.org/tlog-checkpoint): the signed size and root of a log. */
export interface Checkpoint extends Head {
  readonly origin: string;
  readonly root: Buffer;
}

export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

const isSize = (text: string): boolean => /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text));

/** Reads the text of a note. Extension lines are permitted and ignored. @throws NoteError that names the line */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', encoded = '', ...rest] = text.split('\n');
  const root = exactBase64(encoded);
  if (origin === '') throw new NoteError('the checkpoint has no origin');
  if (!isSize(size)) throw new NoteError(`the size of the checkpoint is "${size}"`);
  if (root?.length !== HASH_BYTES) throw new NoteError('the root of the checkpoint is not a SHA-256');
  if (rest.pop() !== '' || rest.includes('')) throw new NoteError('the checkpoint has an empty line');
  return { origin, size: Number(size), root };
}

/** A checkpoint with its signatures. @throws NoteError that names the line */
export function readCheckpoint(message: string): { note: Note; checkpoint: Checkpoint } {
  const note = parseNote(message);
  return { note, checkpoint: parseCheckpoint(note.text) };
}

/** Whether a key of another name than the log's, which is its origin, has signed a checkpoint. */
export const isCosigned = ({ note, checkpoint }: ReturnType<typeof readCheckpoint>): boolean =>
  note.signatures.some(({ name }) => name !== checkpoint.origin);

/** The text that a witness signs (c2sp.org/tlog-cosignature). */
const cosignedText = (seconds: bigint, text: string): string => `cosignature/v1\ntime ${seconds}\n${text}`;

/** The timestamp before the signature of a cosignature. */
const TIME_BYTES = 8;

/** A witness signs that `text` is the largest consistent checkpoint of its log that it has seen. */
export function cosign(text: string, name: string, key: KeyObject, at: Date): Signature {
  const time = Buffer.alloc(TIME_BYTES);
  const seconds = BigInt(Math.floor(at.getTime() / 1_000));
  time.writeBigUInt64BE(seconds);
  const keyId = keyIdOf({ name, algorithm: COSIGNATURE, key: publicBytes(key) });
  return { name, keyId, bytes: Buffer.concat([time, sign(null, Buffer.from(cosignedText(seconds, text)), key)]) };
}

/** The time of a valid cosignature; undefined for an invalid one. */
export function cosignedAt(key: NoteKey, text: string, { bytes }: Signature): Date | undefined {
  if (key.algorithm !== COSIGNATURE || bytes.length <= TIME_BYTES) return undefined;
  const seconds = bytes.readBigUInt64BE();
  const isValid = isSignedBy(key, cosignedText(seconds, text), bytes.subarray(TIME_BYTES));
  return isValid ? new Date(Number(seconds) * 1_000) : undefined;
}

/** A request for a cosignature (c2sp.org/tlog-witness): the growth since `oldSize`, and the checkpoint. */
export interface AddCheckpoint {
  readonly oldSize: number;
  readonly proof: readonly Buffer[];
  /** The whole signed note. */
  readonly checkpoint: string;
}

const MAX_PROOF = 63;

export const addCheckpointText = ({ oldSize, proof, checkpoint }: AddCheckpoint): string =>
  `old ${oldSize}\n${proof.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${checkpoint}`;

/** @throws NoteError that names the line */
export function parseAddCheckpoint(body: string): AddCheckpoint {
  const blank = body.indexOf('\n\n');
  if (blank < 0) throw new NoteError('no empty line comes before the checkpoint');
  const [first = '', ...lines] = body.slice(0, blank).split('\n');
  const size = /^old (.*)$/.exec(first)?.[1] ?? '';
  if (!isSize(size)) throw new NoteError(`the first line is "${first}", and must be "old SIZE"`);
  if (lines.length > MAX_PROOF) throw new NoteError(`a proof has at most ${MAX_PROOF} lines`);
  return { oldSize: Number(size), proof: lines.map(parseHash), checkpoint: body.slice(blank + 2) };
}

function parseHash(line: string): Buffer {
  const hash = exactBase64(line);
  if (hash?.length !== HASH_BYTES) throw new NoteError(`"${line}" is not a hash`);
  return hash;
}

/** A proof that an entry is in a log, to be checked offline (c2sp.org/tlog-proof). */
export const proofText = (index: number, proof: readonly Buffer[], checkpoint: string): string =>
  `c2sp.org/tlog-proof@v1\nindex ${index}\n${proof.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${checkpoint}`;
