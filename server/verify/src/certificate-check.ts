import { readMessage, signedBytes, type Message } from './cms/signature.ts';
import { readElement } from './cms/der.ts';
import type { Finding } from './fault.ts';
import { containerMembers, manifestText, members, type MemberSum } from './format.ts';
import { hashOf } from './hashing.ts';
import { fromHex, isEqual, utf8 } from './log/bytes.ts';
import type { Compared } from './record/record-checks.ts';
import type { Tools } from './tools.ts';

// The signatures of a certificate: the one in the document, and the one of the whole container.

/** The signed parts of a pack. */
export interface SignedParts {
  /** The digests of all members but those of the signature, in their order. */
  readonly sums: readonly MemberSum[];
  /** Texts of the members of the container's signature; undefined where the pack has none. */
  readonly manifest: string | undefined;
  readonly signature: Uint8Array | undefined;
  /** Of the document, with the digest of its signed bytes; undefined where it has none. */
  readonly document: { readonly message: Message | undefined; readonly digest: string } | undefined;
}

/** Certificates that the reader has from elsewhere, and whether the trusted key of a log has signed the pack. */
export interface Voucher {
  readonly certificates: readonly Uint8Array[];
  readonly isSealed: boolean;
}

/** Undefined where nothing is signed by a certificate. */
export async function compareCertificate(
  { sums, manifest, signature, document }: SignedParts,
  voucher: Voucher,
  tools: Tools,
): Promise<Compared | undefined> {
  if (manifest === undefined && signature === undefined && document === undefined) return undefined;
  const wrong: Finding[] = [];
  const ofContainer = signature && (await read(signature, tools));
  const ofDocument = document?.message;
  const expected = manifestText(sums.filter(({ name }) => name !== members.type));
  const isManifest = manifest === expected;
  if (!isManifest) wrong.push({ code: 'container-seal', about: containerMembers.manifest });
  const manifestDigest = await hashOf(tools.hashing, utf8(expected));
  if (!ofContainer || ofContainer.at === undefined || !(await isValid(ofContainer, manifestDigest, tools)))
    wrong.push({ code: 'container-seal', about: containerMembers.signature });
  if (!document || !ofDocument || ofDocument.at !== undefined || !(await isValid(ofDocument, document.digest, tools)))
    wrong.push({ code: 'pdf-seal', about: members.pdf });
  if (ofContainer && ofDocument && !isEqual(ofContainer.certificate.der, ofDocument.certificate.der))
    wrong.push({ code: 'container-seal', about: ofContainer.certificate.name });
  if (wrong.length > 0 || !ofContainer) return { count: 0, wrong, open: [] };
  const { der, name } = ofContainer.certificate;
  const isKnown = voucher.isSealed || voucher.certificates.some((each) => isEqual(each, der));
  const unknown: Finding[] = isKnown ? [] : [{ code: 'certificate-unknown', about: name }];
  return { count: 2, wrong: [], open: [], unknown };
}

const read = (bytes: Uint8Array, { hashing }: Tools): Promise<Message | undefined> =>
  readMessage(bytes, async (each) => fromHex(await hashOf(hashing, each)));

/** The signature in its place in a document. The place is longer: zeros follow, and other bytes are a fault. */
export const placedMessage = (bytes: Uint8Array, tools: Tools): Promise<Message | undefined> =>
  read(withoutZeros(bytes), tools);

function withoutZeros(bytes: Uint8Array): Uint8Array {
  const { length = 0 } = readElement(bytes)?.whole ?? {};
  return bytes.subarray(length).every((byte) => byte === 0) ? bytes.subarray(0, length) : bytes;
}

async function isValid(message: Message, digest: string, tools: Tools): Promise<boolean> {
  if (!isEqual(message.digest, fromHex(digest))) return false;
  return tools.isSignedByRsa(message.certificate.key, signedBytes(message), message.signature, 'SHA-256');
}
