import type { DigestName } from '../tools.ts';
import { concat, isEqual } from '../log/bytes.ts';
import { hasOnlyPurpose, readCertificate, type Certificate } from './certificate.ts';
import { element, elementsIn, oid, readElement, tags, type Element } from './der.ts';
import { valueOf } from './signature.ts';

// The token of a time stamp (RFC 3161), as any authority writes it: only the parts that its signature covers count.

export interface Token {
  /** SHA-256 of the stamped bytes. */
  readonly imprint: Uint8Array;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** With its tag; undefined where the request had none. */
  readonly nonce: Uint8Array | undefined;
  readonly signer: Certificate;
  /** All of the token. */
  readonly certificates: readonly Certificate[];
  readonly hash: DigestName;
  /** The signed statement, its digest in the signed attributes, and these as they are signed. */
  readonly content: Uint8Array;
  readonly contentDigest: Uint8Array;
  readonly attributes: Uint8Array;
  readonly signature: Uint8Array;
}

const ids = {
  statement: oid('1.2.840.113549.1.9.16.1.4'),
  digest: oid('1.2.840.113549.1.9.4'),
  stamping: oid('1.3.6.1.5.5.7.3.8'),
  sha256: oid('2.16.840.1.101.3.4.2.1'),
} as const;
const hashes: readonly (readonly [DigestName, Uint8Array])[] = [
  ['SHA-256', ids.sha256],
  ['SHA-384', oid('2.16.840.1.101.3.4.2.2')],
  ['SHA-512', oid('2.16.840.1.101.3.4.2.3')],
];

/** The token of an answer (`.tsr`); undefined where the authority refused. */
export function tokenIn(response: Uint8Array): Uint8Array | undefined {
  const [status, token] = elementsIn(readElement(response)?.content);
  const [code] = elementsIn(status?.content);
  const isGranted = code?.content.length === 1 && (code.content[0] ?? 9) <= 1;
  return isGranted ? token?.whole : undefined;
}

/** Undefined for bytes that are no token, or one by an algorithm that this program does not know. */
export function readToken(bytes: Uint8Array): Token | undefined {
  const [, explicit] = elementsIn(readElement(bytes)?.content);
  const [body] = elementsIn(explicit?.content);
  const [, , encapsulated, certificateSet] = elementsIn(body?.content);
  const signers = elementsIn(body?.content).at(-1);
  const [type, wrapped] = elementsIn(encapsulated?.content);
  const [content] = elementsIn(wrapped?.content);
  const [signer, ...others] = elementsIn(signers?.content);
  const [, sid, algorithm, attributes, , signature] = elementsIn(signer?.content);
  const [algorithmId] = elementsIn(algorithm?.content);
  const hash = hashes.find(([, id]) => algorithmId && isEqual(id, algorithmId.whole))?.[0];
  const certificates = elementsIn(certificateSet?.content).flatMap(({ whole }) => readCertificate(whole) ?? []);
  const own = certificates.find(({ issuer, serial }) => sid && isEqual(concat(issuer, serial), sid.content));
  const contentDigest = valueOf(attributes, ids.digest)?.content;
  const statement = content && readStatement(content.content);
  if (!type || !isEqual(type.whole, ids.statement) || others.length > 0 || !hash || !own || !statement)
    return undefined;
  if (!contentDigest || !attributes || !signature || !hasOnlyPurpose(own, ids.stamping)) return undefined;
  return {
    ...statement,
    signer: own,
    certificates,
    hash,
    content: content.content,
    contentDigest,
    attributes: element(tags.set, attributes.content),
    signature: signature.content,
  };
}

function readStatement(bytes: Uint8Array): Pick<Token, 'imprint' | 'time' | 'nonce'> | undefined {
  const [, , imprint, , time, ...more] = elementsIn(readElement(bytes)?.content);
  const [algorithm, digest] = elementsIn(imprint?.content);
  const [id] = elementsIn(algorithm?.content);
  const shown = time && timeOf(time);
  if (!id || !isEqual(id.whole, ids.sha256) || !digest || !shown) return undefined;
  return { imprint: digest.content, time: shown, nonce: more.find(({ tag }) => tag === tags.integer)?.whole };
}

/** `20261120180000Z`, with or without fractions of a second. */
function timeOf({ content }: Element): string | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(new TextDecoder().decode(content)) ?? [];
  return year && `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
