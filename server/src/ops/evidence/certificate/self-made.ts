import { generateKeyPair, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import {
  ascii,
  element,
  inContext,
  nothing,
  octets,
  oid,
  sequence,
  set,
  small,
  tags,
} from '../../../../verify/src/cms/der.ts';
import { utcTimeOf } from './utc-time.ts';

const years = 20;
const sha256WithRsa = sequence(oid('1.2.840.113549.1.1.11'), nothing);
const yes = element(1, Uint8Array.of(0xff));
/** Signature and content commitment. */
const keyUsage = sequence(oid('2.5.29.15'), yes, octets(element(tags.bits, Uint8Array.of(6, 0xc0))));
const noAuthority = sequence(oid('2.5.29.19'), yes, octets(sequence()));

const named = (id: string, text: string): Uint8Array =>
  set(sequence(oid(id), element(tags.utf8, new TextEncoder().encode(text))));

/**
 * A new RSA key and a certificate that it has signed itself, as PEM. No authority confirms its name, and the name says so.
 */
export async function selfMade(host: string, now: Date): Promise<string> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 3072 });
  const until = new Date(now);
  until.setUTCFullYear(now.getUTCFullYear() + years);
  const name = sequence(named('2.5.4.10', host), named('2.5.4.3', 'Tailgate evidence, self-made certificate'));
  const serial = randomBytes(16);
  // A positive number without a leading zero byte.
  serial[0] = 0x40 + ((serial[0] ?? 0) % 0x40);
  const body = sequence(
    element(inContext(0), small(2)),
    element(tags.integer, serial),
    sha256WithRsa,
    name,
    sequence(ascii(tags.utcTime, utcTimeOf(now)), ascii(tags.utcTime, utcTimeOf(until))),
    name,
    new Uint8Array(publicKey.export({ format: 'der', type: 'spki' })),
    element(inContext(3), sequence(keyUsage, noAuthority)),
  );
  const signature = element(tags.bits, Uint8Array.of(0), sign('sha256', body, privateKey));
  const der = Buffer.from(sequence(body, sha256WithRsa, signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const certificate = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  return `${privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()}${certificate}`;
}
