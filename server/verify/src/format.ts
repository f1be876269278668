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
