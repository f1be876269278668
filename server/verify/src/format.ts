// The layout of an evidence pack that writer and verifier share. Released layouts never change.

/** Name of the format in `pack.json`. */
export const packFormat = 'tailgate-evidence/1';

/** The content of `mimetype`: the signed container of EN 319 162. A seal joins the format later. */
export const containerType = 'application/vnd.etsi.asic-e+zip';

/** The members with a fixed name. */
export const members = {
  type: 'mimetype',
  pdf: 'evidence.pdf',
  json: 'pack.json',
  sums: 'SHA256SUMS',
  verify: 'VERIFY.txt',
} as const;

/** The members of a pack whose facts are in a log, and whose maker has the key of a log. */
export const logMembers = {
  leaves: 'log/leaves.json',
  keys: 'log/keys.json',
  policy: 'log/policy',
  growths: 'log/consistency.txt',
  /** A signed note of the digest of `SHA256SUMS`. It is the last member. */
  seal: 'SHA256SUMS.note',
} as const;

/** The members of a pack that a certificate has signed: the signature of the container (EN 319 162-1), behind all others. */
export const containerMembers = {
  /** The digests of the members before it. */
  manifest: 'META-INF/ASiCManifest.xml',
  /** The signature of the manifest (CAdES). */
  signature: 'META-INF/signature.p7s',
} as const;

/** The time stamp of `SHA256SUMS`: the answer of an authority (RFC 3161). */
export const stampMember = 'times/SHA256SUMS.tsr';

/** The members behind `SHA256SUMS`: it cannot have their digests. */
export const behindSums: ReadonlySet<string> = new Set([
  logMembers.seal,
  stampMember,
  ...Object.values(containerMembers),
]);

/** A member and its SHA-256 in hexadecimal. */
export interface MemberSum {
  readonly name: string;
  readonly sha256: string;
}

/** `META-INF/ASiCManifest.xml`. @param sums of the members before it, in their order */
export const manifestText = (sums: readonly MemberSum[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<asic:ASiCManifest xmlns:asic="http://uri.etsi.org/02918/v1.2.1#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
<asic:SigReference URI="${containerMembers.signature}" MimeType="application/pkcs7-signature"/>
${sums.map(referenceText).join('')}</asic:ASiCManifest>
`;

const referenceText = ({ name, sha256 }: MemberSum): string =>
  `<asic:DataObjectReference URI="${name}"><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>${base64Of(sha256)}</ds:DigestValue></asic:DataObjectReference>
`;

const base64Of = (hex: string): string =>
  btoa(String.fromCharCode(...(hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))));

/** Parts that a pack leaves out on request: their hashes stay. */
export const withholdable = ['names', 'photos'] as const;
export type Withheld = (typeof withholdable)[number];

/** The digest of a member, as `sha256sum` writes it. */
export const sumLine = (sha256: string, name: string): string => `${sha256}  ${name}\n`;

/** The members of `pack.json` before its stops. */
interface PackHead {
  readonly format: string;
  readonly scope: unknown;
  readonly without: readonly string[];
}

/** The text of `pack.json` before its first stop. */
export const jsonHead = ({ format, scope, without }: PackHead): string =>
  `${JSON.stringify({ format, scope, without }).slice(0, -1)},"stops":[`;

/** One stop of `pack.json`: a line. @param position that of the stop, from 0 */
export const jsonStop = (stop: unknown, position: number): string =>
  `${position === 0 ? '\n' : ',\n'}${JSON.stringify(stop)}`;

/** The text of `pack.json` after its last stop. */
export const jsonEnd = '\n]}\n';

/** A leaf of a log, and the member that proves it. */
export interface Leaf {
  readonly proof: string;
  /** The text of the leaf, byte for byte. */
  readonly entry: string;
  /** The salt of its commitments in hexadecimal; null where it has none or the pack withholds names. */
  readonly salt: string | null;
}

/** `log/leaves.json`: one leaf a line. */
export const leavesText = (leaves: readonly Leaf[]): string =>
  `{"leaves":[\n${leaves.map(({ proof, entry, salt }) => JSON.stringify({ proof, entry, salt })).join(',\n')}\n]}\n`;

/** The member with the proof of a leaf. */
export const proofMember = (kind: string, id: string): string => `log/${kind}-${id}.tlog-proof`;

/** The public key of a log, and the size of the log from which it signs. */
export interface LogKeyText {
  readonly origin: string;
  readonly key: string;
  readonly from_size: number;
}

export const keysText = (keys: readonly LogKeyText[]): string =>
  `${JSON.stringify({ keys: keys.map(({ origin, key, from_size }) => ({ origin, key, from_size })) })}\n`;

/** The text that the key of a log signs for a whole pack. @param sums SHA-256 of `SHA256SUMS`, in hexadecimal */
export const sealText = (origin: string, sums: string): string => `${packFormat} pack\n${origin}\n${sums}\n`;
