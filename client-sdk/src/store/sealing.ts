import { fields, text } from '../platform/reading.ts';

/** The stored form of an encrypted value: base64 of the nonce and of AES-GCM's output. */
export const isSealed = fields({ nonce: text, sealed: text });

/** The store was written with another key. It was left unchanged. */
export class WrongKey extends Error {
  constructor(cause: unknown) {
    super('the store cannot be read with this key: give the key that it was written with', { cause });
    this.name = 'WrongKey';
  }
}

/**
 * Whether a store is encrypted: it then has a probe.
 *
 * @throws WrongKey where the probe was sealed with another key
 */
export async function openProbe(key: CryptoKey, place: string, probe?: { readonly value: unknown }): Promise<boolean> {
  if (!probe) return false;
  await openValue(key, place, probe.value).catch((error: unknown) => {
    throw new WrongKey(error);
  });
  return true;
}

/** @param place bound to the ciphertext, which can be decrypted only with the same place */
export async function sealValue(key: CryptoKey, place: string, value: unknown) {
  const { nonce, sealed } = await seal(key, place, new TextEncoder().encode(JSON.stringify(value)));
  return { nonce: toBase64(nonce), sealed: toBase64(sealed) };
}

/** Throws where the value has another key or place, or was changed. */
export async function openValue(key: CryptoKey, place: string, value: unknown): Promise<unknown> {
  if (!isSealed(value)) throw new Error('this row is not encrypted');
  const plain = await crypto.subtle.decrypt(algorithm(fromBase64(value.nonce), place), key, fromBase64(value.sealed));
  return JSON.parse(new TextDecoder().decode(plain));
}

/** The nonce, followed by AES-GCM's output. */
export async function sealBytes(key: CryptoKey, place: string, bytes: Bytes): Promise<Bytes> {
  const { nonce, sealed } = await seal(key, place, bytes);
  const whole = new Uint8Array(nonceBytes + sealed.length);
  whole.set(nonce);
  whole.set(sealed, nonceBytes);
  return whole;
}

/** Throws as `openValue` does. */
export async function openBytes(key: CryptoKey, place: string, whole: Bytes): Promise<Bytes> {
  const [nonce, sealed] = [whole.slice(0, nonceBytes), whole.slice(nonceBytes)];
  return new Uint8Array(await crypto.subtle.decrypt(algorithm(nonce, place), key, sealed));
}

type Bytes = Uint8Array<ArrayBuffer>;

const nonceBytes = 12;

async function seal(key: CryptoKey, place: string, plain: Bytes): Promise<{ nonce: Bytes; sealed: Bytes }> {
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
  return { nonce, sealed: new Uint8Array(await crypto.subtle.encrypt(algorithm(nonce, place), key, plain)) };
}

const algorithm = (iv: Bytes, place: string): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(place),
});

/** All engines accept this many arguments of a call. */
const pieceBytes = 8_192;

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += pieceBytes)
    binary += String.fromCharCode(...bytes.subarray(at, at + pieceBytes));
  return btoa(binary);
}

const fromBase64 = (base64: string): Bytes => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
