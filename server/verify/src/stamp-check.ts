import { mayIssue, readCertificate, type Certificate } from './cms/certificate.ts';
import type { Message } from './cms/signature.ts';
import { readToken, tokenIn, type Token } from './cms/token.ts';
import type { Finding } from './fault.ts';
import { members, stampMember } from './format.ts';
import { hashOf } from './hashing.ts';
import { fromHex, isEqual } from './log/bytes.ts';
import type { Compared } from './record/record-checks.ts';
import type { Tools } from './tools.ts';

/** The stamped parts of a pack. */
export interface Stamped {
  /** The signature in the document, and the token behind it. */
  readonly document: Pick<Message, 'signature' | 'stamp'> | undefined;
  /** SHA-256 of `SHA256SUMS` in hexadecimal. */
  readonly sums: string;
  /** The answer of the authority for `SHA256SUMS`. */
  readonly response: Uint8Array | undefined;
}

/** @param trusted certificates that the reader has from elsewhere. @returns undefined where nothing is stamped */
export async function compareStamps(
  { document, sums, response }: Stamped,
  trusted: readonly Uint8Array[],
  tools: Tools,
): Promise<Compared | undefined> {
  const stamps = [
    ...(document?.stamp
      ? [{ name: members.pdf, token: document.stamp, digest: await hashOf(tools.hashing, document.signature) }]
      : []),
    ...(response ? [{ name: stampMember, token: tokenIn(response), digest: sums }] : []),
  ];
  if (stamps.length === 0) return undefined;
  const wrong: Finding[] = [];
  const unknown: Finding[] = [];
  const facts: Finding[] = [];
  for (const { name, token: bytes, digest } of stamps) {
    const token = bytes && readToken(bytes);
    if (!token || !isEqual(token.imprint, fromHex(digest)) || !(await isSignedToken(token, tools))) {
      wrong.push({ code: 'stamp', about: name });
      continue;
    }
    const about = `${name}, ${token.time}, ${token.signer.name}`;
    if (await isTrusted(token, trusted, tools)) facts.push({ code: 'stamped', about });
    else unknown.push({ code: 'stamp-unknown', about });
  }
  return { count: facts.length, wrong, unknown, open: [], facts };
}

/** Whether the signature of a token is valid: by RSA and SHA-2, as this program reads it. */
export async function isSignedToken(token: Token, tools: Tools): Promise<boolean> {
  const { hash, content, contentDigest, attributes, signature, signer } = token;
  if (!isEqual(await tools.digest(hash, content), contentDigest)) return false;
  return tools.isSignedByRsa(signer.key, attributes, signature, hash);
}

const longestChain = 5;

/** Whether the signer is a trusted one, or leads to one by signatures. */
async function isTrusted(token: Token, trusted: readonly Uint8Array[], tools: Tools): Promise<boolean> {
  const anchors = trusted.flatMap((der) => readCertificate(der) ?? []);
  let each: Certificate | undefined = token.signer;
  for (let step = 0; each && step < longestChain; step++) {
    const { der } = each;
    if (anchors.some((anchor) => isEqual(anchor.der, der))) return true;
    each = await issuerOf(each, [...anchors, ...token.certificates], tools);
  }
  return false;
}

async function issuerOf(
  { issuer, body, signature, hash }: Certificate,
  known: readonly Certificate[],
  tools: Tools,
): Promise<Certificate | undefined> {
  if (!hash) return undefined;
  for (const each of known)
    if (isEqual(each.subject, issuer) && mayIssue(each) && (await tools.isSignedByRsa(each.key, body, signature, hash)))
      return each;
  return undefined;
}
