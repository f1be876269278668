import { createHash, type Hash } from 'node:crypto';
import type { PDFDocument, Reference } from 'pdfkit';

// The signature of a document (ISO 32000-1 §12.8, EN 319 142-1): all bytes but the place of the signature itself are
// signed. Its object is the last one, so that a document which is streamed is held back from there on alone.

/** Bytes for the signature: certificates and a time stamp have room. */
export const signatureRoom = 12_288;
const room = signatureRoom;
const unknown = 9_999_999_999;
const range = [0, unknown, unknown, unknown];

/** Adds the field of a signature to the present page. @param at the time by this server's clock */
export function addSignature(doc: PDFDocument, at: Date): Reference {
  const signature = doc.ref({
    Type: 'Sig',
    Filter: 'Adobe.PPKLite',
    SubFilter: 'ETSI.CAdES.detached',
    M: at,
    ByteRange: range,
    Contents: new Uint8Array(room),
  });
  const field = doc.ref({
    Type: 'Annot',
    Subtype: 'Widget',
    FT: 'Sig',
    T: Buffer.from('Seal'),
    V: signature,
    F: 132,
    Rect: [0, 0, 0, 0],
    P: doc.page.dictionary,
  });
  doc.page.annotations.push(field);
  field.end();
  // Signatures exist, and a change of the document appends to it.
  doc._root.data['AcroForm'] = { SigFlags: 3, Fields: [field] };
  doc.endAcroForm = () => undefined;
  return signature;
}

/** The bytes of a document before its signature, as they leave. */
export class SignedSoFar {
  readonly #hash: Hash = createHash('sha256');
  #size = 0;

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#size += bytes.length;
  }

  /**
   * The end of the document with its signature in place.
   *
   * @param end from the object of the signature on
   * @param sign makes the signature of a digest (SHA-256)
   * @throws Error where the signature has no room
   */
  async finish(end: Buffer, sign: (digest: Uint8Array) => Promise<Uint8Array>): Promise<Buffer> {
    const rangeText = `/ByteRange [${range.join(' ')}]`;
    const [rangeAt, holeAt] = [end.indexOf(rangeText), end.indexOf('/Contents <') + '/Contents '.length];
    const holeEnd = holeAt + 2 * room + 2;
    if (rangeAt < 0 || holeAt < '/Contents '.length) throw new Error('the document has no place for its signature');
    const shown = `/ByteRange [0 ${this.#size + holeAt} ${this.#size + holeEnd} ${end.length - holeEnd}]`;
    end.write(shown.padEnd(rangeText.length), rangeAt, 'latin1');
    this.#hash.update(end.subarray(0, holeAt)).update(end.subarray(holeEnd));
    const signature = await sign(new Uint8Array(this.#hash.digest()));
    if (signature.length > room)
      throw new Error(`the signature of the document has ${signature.length} bytes, and ${room} have room`);
    end.write(Buffer.from(signature).toString('hex'), holeAt + 1, 'latin1');
    return end;
  }
}
