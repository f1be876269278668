import { createHash, sign } from 'node:crypto';
import { readCertificate } from '../../../../verify/src/cms/certificate.ts';
import { messageBytes, signedBytes, type Message } from '../../../../verify/src/cms/signature.ts';
import type { SealKey } from './seal-key.ts';
import type { StampDigest } from './stamp.ts';
import { utcTimeOf } from './utc-time.ts';

/**
 * Signs a digest by a certificate: a detached signature (CMS).
 *
 * @param digest SHA-256 of the signed bytes
 * @param at the time by this server's clock; a PDF has it elsewhere
 */
export const signDigest = (key: SealKey, digest: Uint8Array, at?: Date): Uint8Array =>
  messageBytes(signedMessage(key, digest, at));

/**
 * As `signDigest`, with the time stamp of an authority on the signature, where it answers.
 *
 * @param most bytes: a longer signature goes without the stamp
 */
export async function signStamped(
  { key, stamp }: { readonly key: SealKey; readonly stamp: StampDigest | undefined },
  digest: Uint8Array,
  most: number,
): Promise<Uint8Array> {
  const message = signedMessage(key, digest);
  const stamped = await stamp?.(sha256(message.signature));
  const whole = stamped && messageBytes({ ...message, stamp: stamped.token });
  return whole && whole.length <= most ? whole : messageBytes(message);
}

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());

function signedMessage({ key, certificates }: SealKey, digest: Uint8Array, at?: Date): Message {
  const [own, ...chain] = certificates;
  const certificate = own && readCertificate(own);
  if (!certificate) throw new Error('the certificate of SEAL_KEY_FILE is none of version 3');
  const signed = { digest, certificateDigest: sha256(certificate.der), at: at && utcTimeOf(at) };
  const signature = new Uint8Array(sign('sha256', signedBytes(signed), key));
  return { ...signed, certificate, chain, signature, stamp: undefined };
}
