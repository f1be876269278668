import { addCheckpointText, cosignedAt, readCheckpoint, type AddCheckpoint } from './format/checkpoint.ts';
import {
  COSIGNATURE,
  isSignedByAny,
  keyIdOf,
  NoteError,
  parseKey,
  parseSignature,
  type NoteKey,
} from './format/note.ts';
import { StartError } from '../runtime/start-error.ts';

/** A witness as a log knows it. */
export interface Witness {
  readonly key: NoteKey;
  /** Below it are `/add-checkpoint` and `/checkpoint/ORIGIN`. */
  readonly url: string;
}

/** The answer to a submitted checkpoint. */
export type Answer =
  | { readonly kind: 'signed'; readonly line: string; readonly at: Date }
  /** The witness continues from this size. */
  | { readonly kind: 'other-size'; readonly size: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly answer: string }
  /** It has signed another history. */
  | { readonly kind: 'differs'; readonly reason: string; readonly answer: string };

/** A witness does not answer, or not as a witness does. Another try may help. */
export class WitnessAway extends Error {}

/** @throws StartError that names the setting */
export function parseWitness({ key, url }: { readonly key: string; readonly url: string }): Witness {
  try {
    const parsed = parseKey(key);
    if (parsed.algorithm !== COSIGNATURE) throw new NoteError(`the key of ${parsed.name} is that of a log`);
    return { key: parsed, url: url.replace(/\/+$/, '') };
  } catch (cause) {
    throw new StartError(`WITNESSES: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The name of a witness in rows and logs: two keys of one name differ in it. */
export const nameOfWitness = ({ key }: Witness): string => `${key.name}+${keyIdOf(key).toString(16).padStart(8, '0')}`;

const PATIENCE_MS = 10_000;
/** A checkpoint with a hundred signatures is shorter. */
const MAX_ANSWER_BYTES = 32_768;

/** Submits a checkpoint (c2sp.org/tlog-witness). @throws WitnessAway */
export async function submitCheckpoint(witness: Witness, add: AddCheckpoint, stopping: AbortSignal): Promise<Answer> {
  const request = { method: 'POST', body: addCheckpointText(add) };
  const { status, type, text } = await ask(`${witness.url}/add-checkpoint`, request, stopping);
  if (status === 200) return signedIn(witness, text, readCheckpoint(add.checkpoint).note.text);
  if (status === 409 && type === 'text/x.tlog.size' && /^(0|[1-9]\d{0,14})\n$/.test(text))
    return { kind: 'other-size', size: Number(text) };
  const reason = reasons[status];
  if (reason === undefined) throw new WitnessAway(`it answers ${status}`);
  return { kind: status === 409 || status === 422 ? 'differs' : 'refused', reason, answer: text.slice(0, 300) };
}

const reasons: Readonly<Record<number, string>> = {
  400: 'it does not understand the request',
  403: 'it does not know the key of the log',
  404: 'it does not know the log',
  409: 'it has signed another history of the log',
  413: 'the request is too long for it',
  422: 'the log does not begin with the leaves that it has signed',
};

/** The lines of other keys are ignored. @throws WitnessAway without a valid signature by the known key */
function signedIn({ key }: Witness, text: string, signed: string): Answer {
  const id = keyIdOf(key);
  for (const line of text.trimEnd().split('\n')) {
    const signature = readLine(line);
    if (signature?.name !== key.name || signature.keyId !== id) continue;
    const at = cosignedAt(key, signed, signature);
    if (at) return { kind: 'signed', line, at };
  }
  throw new WitnessAway('its signature is not by the key in WITNESSES');
}

function readLine(line: string) {
  try {
    return parseSignature(line);
  } catch {
    return undefined;
  }
}

/** A log as its server knows it. */
export interface OwnLog {
  readonly origin: string;
  readonly keys: readonly NoteKey[];
  /** An operator has announced a restore: the log ends in any case, and the key that has signed it may be lost. */
  readonly ends?: boolean;
}

/**
 * The newest checkpoint of a log that a witness has signed; undefined where it has seen none. The log has signed it, too:
 * a witness cannot invent one and so end the log. @throws WitnessAway
 */
export async function askNewest({ key, url }: Witness, { origin, keys, ends }: OwnLog, stopping: AbortSignal) {
  const { status, text } = await ask(`${url}/checkpoint/${encodeURIComponent(origin)}`, {}, stopping);
  if (status === 404) return undefined;
  if (status !== 200) throw new WitnessAway(`it answers ${status}`);
  try {
    const { note, checkpoint } = readCheckpoint(text);
    const isCosigned = note.signatures.some(
      (signature) => signature.keyId === keyIdOf(key) && cosignedAt(key, note.text, signature) !== undefined,
    );
    const isOwn = isSignedByAny(note, keys);
    if (isCosigned && checkpoint.origin === origin && (isOwn || ends)) return { note: text, checkpoint, isOwn };
  } catch (cause) {
    if (!(cause instanceof NoteError)) throw cause;
  }
  throw new WitnessAway('its newest checkpoint has no signature by the key in WITNESSES, or none by a key of the log');
}

/** @throws WitnessAway */
async function ask(url: string, request: RequestInit, stopping: AbortSignal) {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const response = await fetch(url, { ...request, signal, redirect: 'error' });
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, type, text: await readText(response) };
  } catch (cause) {
    throw new WitnessAway(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const parts: AsyncIterable<Uint8Array> | readonly Uint8Array[] = body ?? [];
  for await (const chunk of parts) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
