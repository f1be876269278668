import { CodeReader } from '@tailgate/client-sdk/rescue';

type Bytes = Uint8Array<ArrayBuffer>;

/** A file is larger than any queue: some 20,000 changes have this size. */
export const maxFileBytes = 20 * 1024 * 1024;

/** Reads a file of another phone. `foreign`: it is none; `partial`: some of it is missing. */
export function parcelOfFile(text: string): Bytes | 'foreign' | 'partial' {
  const reader = new CodeReader();
  const read = text.split(/\s+/).map((line) => reader.add(line));
  if (read.every((progress) => progress === undefined)) return 'foreign';
  return reader.parcel ?? 'partial';
}

/** Figures of a passphrase that the app makes. */
const wholePassphrase = 12;

/** The passphrase as typed or dictated, without blanks, hyphens and dots. */
export const spoken = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

export const isWhole = (typed: string): boolean => spoken(typed).length >= wholePassphrase;
