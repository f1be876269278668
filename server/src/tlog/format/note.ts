import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** Signed notes (c2sp.org/signed-note): a text, a blank line, and a line for each signature. */

/** The byte that names the algorithm of a key. Others, such as 6 for ML-DSA-44, are free for later. */
export const ED25519 = 1;
export const COSIGNATURE = 4;

export interface NoteKey {
  readonly name: string;
  readonly algorithm: typeof ED25519 | typeof COSIGNATURE;
  /** The 32 bytes of an Ed25519 key. */
  readonly key: Buffer;
}

export interface Signature {
  readonly name: string;
  readonly keyId: number;
  readonly bytes: Buffer;
}

export interface Note {
  /** Ends in a newline. */
  readonly text: string;
  readonly signatures: readonly Signature[];
}

/** A note that is not one. The message names the part. */
export class NoteError extends Error {}

const KEY_BYTES = 32;
/** A note has 100 signatures at most, as in Go's golang.org/x/mod/sumdb/note. */
const MAX_SIGNATURES = 100;
const MAX_NOTE_BYTES = 1_000_000;

/** A name of a key has no Unicode space and no plus. */
const isKeyName = (name: string): boolean => name !== '' && !/[\s+\p{Cc}\p{White_Space}]/u.test(name);

export function keyIdOf({ name, algorithm, key }: NoteKey): number {
  const hash = createHash('sha256').update(`${name}\n`).update(Buffer.of(algorithm)).update(key).digest();
  return hash.readUInt32BE();
}

const idText = (id: number): string => id.toString(16).padStart(8, '0');

/** `name+hash+base64`: the text of a public key. */
export const keyText = (key: NoteKey): string =>
  `${key.name}+${idText(keyIdOf(key))}+${Buffer.concat([Buffer.of(key.algorithm), key.key]).toString('base64')}`;

/** @throws NoteError that names what is wrong */
export function parseKey(text: string): NoteKey {
  const match = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text.trim());
  if (!match) throw new NoteError('a key has the form name+hash+base64');
  const [, name = '', id = '', encoded = ''] = match;
  const bytes = exactBase64(encoded);
  const algorithm = bytes?.[0];
  if (!bytes || (algorithm !== ED25519 && algorithm !== COSIGNATURE) || bytes.length !== KEY_BYTES + 1)
    throw new NoteError(`the key of ${name} is not an Ed25519 key`);
  const key: NoteKey = { name, algorithm, key: bytes.subarray(1) };
  if (!isKeyName(name)) throw new NoteError(`the name of the key ${name} has a space`);
  if (idText(keyIdOf(key)) !== id) throw new NoteError(`the hash of the key ${name} is not that of its bytes`);
  return key;
}

/** The 32 bytes of a public key, from either half of its pair. */
export function publicBytes(key: KeyObject): Buffer {
  const { x } = (key.type === 'public' ? key : createPublicKey(key)).export({ format: 'jwk' });
  if (key.asymmetricKeyType !== 'ed25519' || x === undefined) throw new NoteError('the key is not an Ed25519 key');
  return Buffer.from(x, 'base64url');
}

const publicKeyOf = ({ key }: NoteKey): KeyObject =>
  createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') } });

/** Whether these bytes are the key's signature of the text. */
export const isSignedBy = (key: NoteKey, text: string, signature: Buffer): boolean =>
  signature.length === 64 && verify(null, Buffer.from(text), publicKeyOf(key), signature);

/** Signs a text. The name of the key is that of the log. */
export function signText(text: string, name: string, key: KeyObject): Signature {
  const keyId = keyIdOf({ name, algorithm: ED25519, key: publicBytes(key) });
  return { name, keyId, bytes: sign(null, Buffer.from(text), key) };
}

/** A line of a signature, without the newline. */
export function signatureLine({ name, keyId, bytes }: Signature): string {
  const id = Buffer.alloc(4);
  id.writeUInt32BE(keyId);
  return `— ${name} ${Buffer.concat([id, bytes]).toString('base64')}`;
}

export const noteText = ({ text, signatures }: Note): string =>
  `${text}\n${signatures.map((signature) => `${signatureLine(signature)}\n`).join('')}`;

/** @throws NoteError that names what is wrong */
export function parseNote(message: string): Note {
  if (Buffer.byteLength(message) > MAX_NOTE_BYTES) throw new NoteError('the note is too long');
  if (!message.isWellFormed() || /[\0-\x09\x0b-\x1f\ufffd]/.test(message))
    throw new NoteError('the note has a control character or is not UTF-8');
  const blank = message.lastIndexOf('\n\n');
  if (blank < 0) throw new NoteError('no blank line separates the text from its signatures');
  const text = message.slice(0, blank + 1);
  const tail = message.slice(blank + 2);
  if (!tail.endsWith('\n')) throw new NoteError('the last signature does not end in a newline');
  const lines = tail.slice(0, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw new NoteError(`a note has at most ${MAX_SIGNATURES} signatures`);
  return { text, signatures: lines.map(parseSignature) };
}

/** @throws NoteError that names the line */
export function parseSignature(line: string): Signature {
  const match = /^— (\S+) (\S+)$/.exec(line);
  const bytes = match && exactBase64(match[2] ?? '');
  const name = match?.[1] ?? '';
  if (!bytes || bytes.length < 5 || !isKeyName(name)) throw new NoteError(`"${line}" is not a signature`);
  return { name, keyId: bytes.readUInt32BE(), bytes: bytes.subarray(4) };
}

/** The bytes of standard base64 with padding; undefined for any other spelling of them. */
export function exactBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Signatures of this key's name and hash. */
const signaturesOf = (note: Note, key: NoteKey): Signature[] =>
  note.signatures.filter(({ name, keyId }) => name === key.name && keyId === keyIdOf(key));

/** Whether a note has a valid signature by one of these keys, and no invalid one. Signatures by other keys are ignored. */
export function isSignedByAny(note: Note, keys: readonly NoteKey[]): boolean {
  const checks = keys
    .filter(({ algorithm }) => algorithm === ED25519)
    .flatMap((key) => signaturesOf(note, key).map(({ bytes }) => isSignedBy(key, note.text, bytes)));
  return checks.length > 0 && checks.every(Boolean);
}
