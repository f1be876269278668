import { hashOf } from '../hashing.ts';
import type { Tools } from '../tools.ts';
import { concat, exactBase64, fromHex, isEqual, utf8 } from './bytes.ts';

// Signed notes (c2sp.org/signed-note) and cosignatures (c2sp.org/tlog-cosignature), read without trust in them.

/** Algorithms of keys: Ed25519 of a log, and of a witness. */
export const ofLog = 1;
export const ofWitness = 4;

export interface NoteKey {
  readonly name: string;
  readonly algorithm: number;
  /** The 32 bytes of an Ed25519 key. */
  readonly key: Uint8Array;
  /** The 4 bytes by which a signature names its key. */
  readonly id: Uint8Array;
  /** `name+hash+base64`. */
  readonly text: string;
}

interface Signature {
  readonly name: string;
  readonly id: Uint8Array;
  readonly bytes: Uint8Array;
}

export interface Note {
  /** Ends in a newline. */
  readonly text: string;
  readonly signatures: readonly Signature[];
}

const mostSignatures = 100;

/** Reads `name+hash+base64`; undefined for any other text, and for a hash that is not the key's. */
export async function readKey(text: string, { hashing }: Tools): Promise<NoteKey | undefined> {
  const [, name = '', id = '', encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = exactBase64(encoded);
  const [algorithm] = bytes ?? [];
  if (!bytes || (algorithm !== ofLog && algorithm !== ofWitness) || bytes.length !== 33) return undefined;
  const hash = await hashOf(hashing, concat(utf8(`${name}\n`), bytes));
  if (!hash.startsWith(id)) return undefined;
  return { name, algorithm, key: bytes.subarray(1), id: fromHex(id), text };
}

/** Undefined for a text that is no signed note, and for one with two signatures of one name and hash. */
export function readNote(message: string): Note | undefined {
  const blank = message.lastIndexOf('\n\n');
  if (blank < 0 || !message.endsWith('\n') || /[\0-\x09\x0b-\x1f\ufffd]/.test(message)) return undefined;
  const lines = message.slice(blank + 2, -1).split('\n');
  const signatures = lines.flatMap((line) => readSignature(line) ?? []);
  if (signatures.length !== lines.length || lines.length > mostSignatures) return undefined;
  if (new Set(signatures.map(({ name, id }) => `${name} ${id.join('.')}`)).size !== signatures.length) return undefined;
  return { text: message.slice(0, blank + 1), signatures };
}

function readSignature(line: string): Signature | undefined {
  const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/.exec(line) ?? [];
  const bytes = exactBase64(encoded);
  if (!bytes || bytes.length < 5) return undefined;
  return { name, id: bytes.subarray(0, 4), bytes: bytes.subarray(4) };
}

/** `none`: no signature names a key of these. `wrong`: one does, and is invalid. */
export type Signed = 'valid' | 'wrong' | 'none';

/** The signatures of a log's own keys. */
export const signedBy = (note: Note, keys: readonly NoteKey[], tools: Tools): Promise<Signed> =>
  checked(note, keys, (key, { bytes }) => tools.isSigned(key, utf8(note.text), bytes));

/** The cosignatures of witnesses. Each has its time in its first 8 bytes. */
export const cosignedBy = (note: Note, keys: readonly NoteKey[], tools: Tools): Promise<Signed> =>
  checked(note, keys, async (key, { bytes }) => {
    if (bytes.length !== 72) return false;
    const seconds = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
    return tools.isSigned(key, utf8(`cosignature/v1\ntime ${seconds}\n${note.text}`), bytes.subarray(8));
  });

async function checked(
  { signatures }: Note,
  keys: readonly NoteKey[],
  isValid: (key: Uint8Array, signature: Signature) => Promise<boolean>,
): Promise<Signed> {
  let signed: Signed = 'none';
  for (const { name, id, key } of keys)
    for (const signature of signatures)
      if (signature.name === name && isEqual(signature.id, id)) {
        if (!(await isValid(key, signature))) return 'wrong';
        signed = 'valid';
      }
  return signed;
}
