import type { DigestName } from '../tools.ts';
import { elementsIn, inContext, oid, readElement, tags, type Element } from './der.ts';
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
  readonly extensions: readonly Extension[];
}

interface Extension {
  readonly id: Uint8Array;
  readonly isCritical: boolean;
  /** The element in its octets. */
  readonly value: Element | undefined;
}

/** Undefined for bytes that are no certificate of version 3. */
export function readCertificate(der: Uint8Array): Certificate | undefined {
  const outer = readElement(der);
  const [body, algorithm, signature] = elementsIn(outer?.content);
  const [algorithmId] = elementsIn(algorithm?.content);
  const [version, serial, , issuer, , subject, key, ...more] = elementsIn(body?.content);
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
    extensions: extensionsIn(more.find(({ tag }) => tag === inContext(3))),
  };
}

function extensionsIn(field: Element | undefined): Extension[] {
  const [list] = elementsIn(field?.content);
  return elementsIn(list?.content).flatMap(({ content }) => {
    const [id, ...rest] = elementsIn(content);
    const [value, critical] = rest.toReversed();
    if (!id || !value) return [];
    return [{ id: id.whole, isCritical: isYes(critical), value: readElement(value.content) }];
  });
}

const isYes = (element: Element | undefined): boolean => element?.tag === tags.boolean && element.content[0] === 0xff;

const extensionIds = { constraints: oid('2.5.29.19'), keyUsage: oid('2.5.29.15'), purposes: oid('2.5.29.37') } as const;

const extensionOf = ({ extensions }: Certificate, name: keyof typeof extensionIds): Extension | undefined =>
  extensions.find(({ id }) => isEqual(id, extensionIds[name]));

/** Of the first byte of a key's usage. */
const keyCertSign = 4;

/** Whether a certificate may confirm others (RFC 5280, 4.2.1.3 and 4.2.1.9): it is one of an authority. */
export function mayIssue(certificate: Certificate): boolean {
  const [isAuthority] = elementsIn(extensionOf(certificate, 'constraints')?.value?.content);
  const usage = extensionOf(certificate, 'keyUsage');
  // The first byte of bits counts the unused ones.
  const mayCertify = usage === undefined || ((usage.value?.content[1] ?? 0) & keyCertSign) !== 0;
  return isYes(isAuthority) && mayCertify;
}

/** Whether a certificate names this purpose alone, as one that all readers must know (RFC 3161, 2.3). */
export function hasOnlyPurpose(certificate: Certificate, purpose: Uint8Array): boolean {
  const purposes = extensionOf(certificate, 'purposes');
  const [first, ...others] = elementsIn(purposes?.value?.content);
  return purposes?.isCritical === true && first !== undefined && isEqual(first.whole, purpose) && others.length === 0;
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
