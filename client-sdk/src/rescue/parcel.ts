import type { Check } from '../platform/reading.ts';
import { listOf } from '../platform/reading.ts';
import type { ExportedQueue } from './exported-queue.ts';
import { isExportedQueue } from './exported-queue.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The passphrase is wrong, or the parcel is damaged: the cipher reports the same for both. */
export class WrongPassphrase extends Error {
  override readonly name = 'WrongPassphrase';
  constructor(cause?: unknown) {
    super('this passphrase does not open the parcel', { cause });
  }
}

/** Larger than any queue of a phone: a hostile parcel would fill the memory of the device that opens it. */
export class ParcelTooLarge extends Error {
  override readonly name = 'ParcelTooLarge';
}

/** A file of 200 codes, the longest, has six megabytes. */
const maxParcelBytes = 8 * 1024 * 1024;
/** The text of the queues: some 60,000 changes. */
const maxTextBytes = 64 * 1024 * 1024;

const textTooLarge = (): ParcelTooLarge => new ParcelTooLarge(`queues: more than ${maxTextBytes} bytes`);

/** `TGR` and the version of the format; AES-GCM authenticates it, too. */
const magic = new Uint8Array([0x54, 0x47, 0x52, 1]);
const saltBytes = 16;
const nonceBytes = 12;
const headBytes = magic.length + saltBytes + nonceBytes;
/** OWASP's figure for PBKDF2 with SHA-256: a guess takes a phone half a second. */
const iterations = 600_000;
const digits = 12;

const isQueues: Check<ExportedQueue[]> = listOf(isExportedQueue);

/** A passphrase of twelve figures in three groups: 40 bits, easy to say aloud in any language. */
export function newPassphrase(): string {
  const groups: string[] = [];
  for (let left = digits; left > 0; left -= 4) groups.push(String(belowTenThousand()).padStart(4, '0'));
  return groups.join(' ');
}

/** Uniform: a value above the last whole multiple is drawn again. */
function belowTenThousand(): number {
  for (;;) {
    const [drawn = 0] = crypto.getRandomValues(new Uint16Array(1));
    if (drawn < 60_000) return drawn % 10_000;
  }
}

/**
 * Compresses and encrypts queues for another phone. Reading or pushing them from filmed codes or from the file needs
 * the passphrase.
 *
 * @throws ParcelTooLarge for queues that no phone can open
 */
export async function packQueues(queues: readonly ExportedQueue[], passphrase: string): Promise<Bytes> {
  const text = new TextEncoder().encode(JSON.stringify(queues));
  if (text.length > maxTextBytes) throw textTooLarge();
  const plain = await throughStream(text, new CompressionStream('gzip'));
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const key = await keyOf(passphrase, salt);
  const sealed = await crypto.subtle.encrypt(algorithm(nonce), key, plain);
  const parcel = new Uint8Array(headBytes + sealed.byteLength);
  checkSize(parcel);
  parcel.set(magic);
  parcel.set(salt, magic.length);
  parcel.set(nonce, magic.length + saltBytes);
  parcel.set(new Uint8Array(sealed), headBytes);
  return parcel;
}

/**
 * Opens a parcel; pass each queue to `importQueue`.
 *
 * @param passphrase spaces and dashes do not count
 * @throws WrongPassphrase; ParcelTooLarge; TypeError for bytes that are no parcel
 */
export async function unpackQueues(parcel: Bytes, passphrase: string): Promise<ExportedQueue[]> {
  checkSize(parcel);
  if (parcel.length <= headBytes || magic.some((byte, i) => parcel[i] !== byte))
    throw new TypeError('this is no parcel that packQueues has made');
  const salt = parcel.slice(magic.length, magic.length + saltBytes);
  const nonce = parcel.slice(magic.length + saltBytes, headBytes);
  const key = await keyOf(passphrase, salt);
  let plain: ArrayBuffer;
  try {
    plain = await crypto.subtle.decrypt(algorithm(nonce), key, parcel.slice(headBytes));
  } catch (error) {
    throw new WrongPassphrase(error);
  }
  const json = new TextDecoder().decode(await throughStream(new Uint8Array(plain), new DecompressionStream('gzip')));
  const queues: unknown = JSON.parse(json);
  if (!isQueues(queues)) throw new TypeError('the parcel is of another version of the app');
  return queues;
}

function checkSize({ length }: Bytes): void {
  if (length > maxParcelBytes) throw new ParcelTooLarge(`parcel: ${length} bytes, at most ${maxParcelBytes}`);
}

const algorithm = (iv: Bytes): AesGcmParams => ({ name: 'AES-GCM', iv, additionalData: magic });

async function keyOf(passphrase: string, salt: Bytes): Promise<CryptoKey> {
  const secret = new TextEncoder().encode(passphrase.normalize('NFKC').replace(/[\s-]/g, '').toLowerCase());
  const base = await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey']);
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return crypto.subtle.deriveKey(derivation, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

/** @throws ParcelTooLarge before more than the largest text is in memory */
async function throughStream(bytes: Bytes, stream: GenericTransformStream): Promise<Bytes> {
  let size = 0;
  const counted = new TransformStream<Bytes, Bytes>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > maxTextBytes) controller.error(textTooLarge());
      else controller.enqueue(chunk);
    },
  });
  try {
    const passed = new Blob([bytes]).stream().pipeThrough(stream).pipeThrough(counted);
    return new Uint8Array(await new Response(passed).arrayBuffer());
  } catch (error) {
    // A browser replaces the error of the stream by one of its own.
    throw size > maxTextBytes ? textTooLarge() : error;
  }
}
