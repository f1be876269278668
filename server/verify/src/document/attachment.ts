import type { Tail } from '../collected.ts';
import { Fault } from '../fault.ts';
import { fieldOf, isDictionary, isList, isReference, ValueReader, type Dictionary, type Value } from './pdf-values.ts';

// Finds the one attachment of a document, by the way that a reader of PDF goes: the end, the table of objects, the
// catalogue, its names (ISO 32000-1 §7.5, §7.11.4). The document has one table: a later one could replace any object.

/** The compressed bytes of the attachment with this name. @param tail the end of the document. @throws Fault */
export function attachmentOf(tail: Tail, name: string): Uint8Array {
  const pdf = new PdfObjects(tail);
  const names = pdf.follow(fieldOf(pdf.follow(fieldOf(pdf.catalogue, 'Names')), 'EmbeddedFiles'));
  const list = pdf.follow(fieldOf(names, 'Names'));
  if (!isList(list) || list.length !== 2 || list[0] !== name || fieldOf(names, 'Kids') !== undefined)
    throw new Fault('pdf-attachment', name);
  const file = pdf.follow(list[1]);
  const reference = fieldOf(pdf.follow(fieldOf(file, 'EF')), 'F');
  const { dictionary, at } = pdf.stream(reference);
  const [length, filter] = [fieldOf(dictionary, 'Length'), fieldOf(dictionary, 'Filter')];
  const isDeflated = typeof filter === 'object' && filter !== null && 'text' in filter && filter.text === 'FlateDecode';
  if (typeof length !== 'number' || !isDeflated || fieldOf(dictionary, 'DecodeParms') !== undefined)
    throw new Fault('pdf-attachment', name);
  return pdf.bytes(at, length);
}

/** Longer values are no part of the way to the attachment. */
const longestValue = 1 << 20;

/** The objects of a document with one table. */
export class PdfObjects {
  readonly #tail: Tail;
  readonly #places = new Map<number, number>();
  readonly catalogue: Value | undefined;

  constructor(tail: Tail) {
    this.#tail = tail;
    const size = tail.start + tail.bytes.length;
    const end = /startxref\n(\d{1,10})\n%%EOF\n?$/.exec(this.text(Math.max(tail.start, size - 64), 64));
    if (!end) throw new Fault('pdf', String(size));
    const reader = new ValueReader(this.text(Number(end[1]), longestValue));
    const count = Number(reader.take(/xref\n0 (\d{1,6})\n/y)?.[1] ?? 0);
    for (let id = 0; id < count; id++) {
      const [, place, state] = reader.take(/(\d{10}) \d{5} ([nf]) ?\n/y) ?? [];
      if (place === undefined) throw new Fault('pdf', String(id));
      if (state === 'n') this.#places.set(id, Number(place));
    }
    if (!reader.take(/trailer\n/y)) throw new Fault('pdf', 'trailer');
    const trailer = reader.value();
    if (fieldOf(trailer, 'Prev') !== undefined || fieldOf(trailer, 'XRefStm') !== undefined)
      throw new Fault('pdf', 'Prev');
    this.catalogue = this.follow(fieldOf(trailer, 'Root'));
  }

  /** The value behind a reference. */
  follow(value: Value | undefined): Value | undefined {
    return isReference(value) ? this.#object(value.id).value() : value;
  }

  /** A stream's dictionary, and the place of its bytes. */
  stream(reference: Value | undefined): { readonly dictionary: Dictionary; readonly at: number } {
    if (!isReference(reference)) throw new Fault('pdf-attachment', 'stream');
    const reader = this.#object(reference.id);
    const dictionary = reader.value();
    if (!isDictionary(dictionary) || !reader.take(/[\s]*stream\n/y)) throw new Fault('pdf-attachment', 'stream');
    return { dictionary, at: (this.#places.get(reference.id) ?? 0) + reader.at };
  }

  bytes(at: number, length: number): Uint8Array {
    const begin = at - this.#tail.start;
    if (begin < 0 || begin + length > this.#tail.bytes.length) throw new Fault('pdf', String(at));
    return this.#tail.bytes.subarray(begin, begin + length);
  }

  #object(id: number): ValueReader {
    const place = this.#places.get(id);
    if (place === undefined) throw new Fault('pdf', `object ${id}`);
    const reader = new ValueReader(this.text(place, longestValue));
    if (reader.take(/(\d+) 0 obj\n/y)?.[1] !== String(id)) throw new Fault('pdf', `object ${id}`);
    return reader;
  }

  /** At most `length` characters from a place, one for each byte. */
  text(at: number, length: number): string {
    const begin = at - this.#tail.start;
    if (begin < 0 || begin >= this.#tail.bytes.length) throw new Fault('pdf', String(at));
    return new TextDecoder('latin1').decode(this.#tail.bytes.subarray(begin, begin + length));
  }
}
