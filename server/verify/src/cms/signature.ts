import { concat, isEqual } from '../log/bytes.ts';
import { readCertificate, type Certificate } from './certificate.ts';
import {
  ascii,
  element,
  elementsIn,
  inContext,
  inOrder,
  nothing,
  octets,
  oid,
  readElement,
  sequence,
  set,
  small,
  tags,
  type Element,
} from './der.ts';

// The signatures of a pack: CMS (RFC 5652) with the attributes of CAdES (EN 319 122), by RSA and SHA-256. Each has one
// encoding: the verifier makes it anew from its parts and compares, so that a byte of no meaning cannot hide in it.

const ids = {
  data: oid('1.2.840.113549.1.7.1'),
  signed: oid('1.2.840.113549.1.7.2'),
  contentType: oid('1.2.840.113549.1.9.3'),
  digest: oid('1.2.840.113549.1.9.4'),
  time: oid('1.2.840.113549.1.9.5'),
  certificate: oid('1.2.840.113549.1.9.16.2.47'),
  stamp: oid('1.2.840.113549.1.9.16.2.14'),
  sha256: oid('2.16.840.1.101.3.4.2.1'),
  rsa: oid('1.2.840.113549.1.1.1'),
} as const;

/** A chain has a handful. */
const mostCertificates = 100;

/** The values under a signature. */
export interface Signed {
  /** SHA-256 of the signed bytes. */
  readonly digest: Uint8Array;
  /** SHA-256 of the certificate of the signer. */
  readonly certificateDigest: Uint8Array;
  /** `YYMMDDHHMMSSZ` by the signer's clock; undefined in a PDF, which has its time elsewhere (EN 319 142). */
  readonly at: string | undefined;
}

/** A signature with all that it carries. */
export interface Message extends Signed {
  /** Of the signer. */
  readonly certificate: Certificate;
  /** Further ones, up to its authority. */
  readonly chain: readonly Uint8Array[];
  readonly signature: Uint8Array;
  /** The token of a time stamp (RFC 3161) on the signature. */
  readonly stamp: Uint8Array | undefined;
}

const attribute = (id: Uint8Array, value: Uint8Array): Uint8Array => sequence(id, set(value));

const attributesOf = ({ digest, certificateDigest, at }: Signed): Uint8Array[] =>
  inOrder([
    attribute(ids.contentType, ids.data),
    attribute(ids.digest, octets(digest)),
    attribute(ids.certificate, sequence(sequence(sequence(octets(certificateDigest))))),
    ...(at === undefined ? [] : [attribute(ids.time, ascii(tags.utcTime, at))]),
  ]);

/** The bytes that the key signs. */
export const signedBytes = (signed: Signed): Uint8Array => set(...attributesOf(signed));

export function messageBytes(message: Message): Uint8Array {
  const { certificate, chain, signature, stamp } = message;
  const signer = sequence(
    small(1),
    sequence(certificate.issuer, certificate.serial),
    sequence(ids.sha256),
    element(inContext(0), ...attributesOf(message)),
    sequence(ids.rsa, nothing),
    octets(signature),
    ...(stamp ? [element(inContext(1), attribute(ids.stamp, stamp))] : []),
  );
  const body = sequence(
    small(1),
    set(sequence(ids.sha256)),
    sequence(ids.data),
    element(inContext(0), ...inOrder([certificate.der, ...chain])),
    set(signer),
  );
  return sequence(ids.signed, element(inContext(0), body));
}

/**
 * Reads a signature. @param digestOf SHA-256
 * @returns undefined for bytes that `messageBytes` would write otherwise
 */
export async function readMessage(
  bytes: Uint8Array,
  digestOf: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<Message | undefined> {
  const [, explicit] = elementsIn(readElement(bytes)?.content);
  const [body] = elementsIn(explicit?.content);
  const [, , , certificates, signers] = elementsIn(body?.content);
  const [signer] = elementsIn(signers?.content);
  const [, sid, , attributes, , signature, unsigned] = elementsIn(signer?.content);
  const all = elementsIn(certificates?.content).map(({ whole }) => whole);
  const certificate = all
    .flatMap((der) => readCertificate(der) ?? [])
    .find(({ issuer, serial }) => sid !== undefined && isEqual(concat(issuer, serial), sid.content));
  const digest = valueOf(attributes, ids.digest);
  if (!certificate || !digest || !signature || all.length > mostCertificates) return undefined;
  const time = valueOf(attributes, ids.time);
  const message: Message = {
    digest: digest.content,
    certificateDigest: await digestOf(certificate.der),
    at: time && new TextDecoder().decode(time.content),
    certificate,
    chain: all.filter((der) => der !== certificate.der),
    signature: signature.content,
    stamp: valueOf(unsigned, ids.stamp)?.whole,
  };
  return isEqual(messageBytes(message), bytes) ? message : undefined;
}

/** The first value of an attribute. */
export function valueOf(attributes: Element | undefined, id: Uint8Array): Element | undefined {
  for (const { content } of elementsIn(attributes?.content)) {
    const [type, values] = elementsIn(content);
    if (type && isEqual(type.whole, id)) return elementsIn(values?.content)[0];
  }
  return undefined;
}
