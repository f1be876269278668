/** Names of what a check can find. The sentences are in `words/`. */
export const faultCodes = [
  ...['not-a-pack', 'cut-off', 'header', 'directory', 'trailing', 'crc', 'compressed', 'name', 'duplicate'],
  ...['order', 'absent-member', 'too-large', 'sums', 'json', 'json-layout', 'json-shape', 'format'],
  ...['pdf', 'pdf-attachment', 'pdf-differs', 'file-differs', 'file-absent', 'file-stray'],
  ...['log-layout', 'leaf-stray', 'leaf-differs', 'leaf-place', 'unproven', 'unopened', 'backfilled', 'proof'],
  ...['checkpoint', 'checkpoint-differs', 'growth', 'cosignature', 'seal', 'seal-other', 'key-unknown', 'signed-as'],
  ...['pdf-seal', 'container-seal', 'certificate-unknown', 'stamp', 'stamp-unknown', 'stamped'],
  ...['elsewhere-forked', 'elsewhere-unproven', 'elsewhere-other', 'elsewhere-before', 'elsewhere-silent'],
  ...[
    'hash',
    'body-id',
    'body-withheld',
    'place-twice',
    'link',
    'link-unknown',
    'file-missing',
    'change-waits',
    'change-gone',
  ],
] as const;
export type FaultCode = (typeof faultCodes)[number];

/** Something that a check has found. */
export interface Finding {
  readonly code: FaultCode;
  /** Its subject: a member, a change, an offset. */
  readonly about: string;
}

/** Ends the reading of a pack. */
export class Fault extends Error implements Finding {
  readonly code: FaultCode;
  readonly about: string;

  constructor(code: FaultCode, about: string) {
    super(`${code}: ${about}`);
    this.code = code;
    this.about = about;
  }
}
