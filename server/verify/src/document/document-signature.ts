import type { Tail } from '../collected.ts';
import { Fault } from '../fault.ts';
import { PdfObjects } from './attachment.ts';
import { fieldOf, isList } from './pdf-values.ts';

/** The signature of a document: all bytes are signed but those of the signature itself. */
export interface DocumentSignature {
  /** The first byte that is not signed, and the next one that is. */
  readonly holeAt: number;
  readonly holeEnd: number;
  /** With the zeros behind it. */
  readonly bytes: Uint8Array;
}

/** The one signature of a document; undefined where it has none. @param tail the end of the document. @throws Fault */
export function signatureOf(tail: Tail): DocumentSignature | undefined {
  const pdf = new PdfObjects(tail);
  const form = pdf.follow(fieldOf(pdf.catalogue, 'AcroForm'));
  if (form === undefined) return undefined;
  const fields = fieldOf(form, 'Fields');
  const signature = isList(fields) && fields.length === 1 ? pdf.follow(fieldOf(pdf.follow(fields[0]), 'V')) : undefined;
  const [range, contents] = [fieldOf(signature, 'ByteRange'), fieldOf(signature, 'Contents')];
  if (!isList(range) || typeof contents !== 'string') throw new Fault('pdf-seal', 'ByteRange');
  const [begin, holeAt, holeEnd, rest] = range;
  const size = tail.start + tail.bytes.length;
  if (begin !== 0 || typeof holeAt !== 'number' || typeof holeEnd !== 'number' || typeof rest !== 'number')
    throw new Fault('pdf-seal', 'ByteRange');
  // The hole is the value of Contents and nothing else.
  const isHole = holeEnd - holeAt === 2 * contents.length + 2 && holeEnd + rest === size;
  const text = pdf.text(holeAt, holeEnd - holeAt);
  if (!isHole || text !== `<${toHex(contents)}>`) throw new Fault('pdf-seal', 'ByteRange');
  return { holeAt, holeEnd, bytes: Uint8Array.from(contents, (character) => character.charCodeAt(0)) };
}

const toHex = (text: string): string =>
  Array.from(text, (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('');
