import type { DigestName } from '../tools.ts';
import { elementsIn, oid, readElement } from './der.ts';
import { isEqual } from '../log/bytes.ts';

/** The parts of a certificate (X.509) that a signature needs. */
export interface Certificate {
  readonly der: Uint8Array;
  /** With tag and length, as all of these. */
  readonly serial: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  /** SubjectPublicKeyInfo. */
  readonly key: Uint8Array;
  /** The signed part, and its signature. */
  readonly body: Uint8Array;
  readonly signature: Uint8Array;
  /** The hash of its signature by RSA; undefined for another algorithm. */
  readonly hash: DigestName | undefined;
  /** The common name of its subject; empty where it has none. */
  readonly name: string;
}

/** Undefined for bytes that are no certificate of version 3. */
export function readCertificate(der: Uint8Array): Certificate | undefined {
  const outer = readElement(der);
  const [body, algorithm, signature] = elementsIn(outer?.content);
  const [algorithmId] = elementsIn(algorithm?.content);
  const [version, serial, , issuer, , subject, key] = elementsIn(body?.content);
  if (outer?.whole.length !== der.length || version?.tag !== 0xa0) return undefined;
  if (!body || !serial || !issuer || !subject || !key || !signature) return undefined;
  return {
    der,
    serial: serial.whole,
    issuer: issuer.whole,
    subject: subject.whole,
    key: key.whole,
    body: body.whole,
    // The first byte counts unused bits: none.
    signature: signature.content.subarray(1),
    hash: signatures.find(([, id]) => algorithmId && isEqual(id, algorithmId.whole))?.[0],
    name: commonName(subject.content),
  };
}

/** RSA with SHA-2. */
const signatures: readonly (readonly [DigestName, Uint8Array])[] = [
  ['SHA-256', oid('1.2.840.113549.1.1.11')],
  ['SHA-384', oid('1.2.840.113549.1.1.12')],
  ['SHA-512', oid('1.2.840.113549.1.1.13')],
];

const commonNameId = oid('2.5.4.3');

function commonName(subject: Uint8Array): string {
  for (const { content } of elementsIn(subject))
    for (const attribute of elementsIn(content)) {
      const [id, value] = elementsIn(attribute.content);
      if (id && value && isEqual(id.whole, commonNameId)) return new TextDecoder().decode(value.content);
    }
  return '';
}
