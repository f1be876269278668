import { Fault } from '../fault.ts';

// Values of a PDF (ISO 32000-1 §7.3), as far as they lead to an attachment.

export interface Reference {
  readonly kind: 'reference';
  readonly id: number;
}

export interface Name {
  readonly kind: 'name';
  readonly text: string;
}

export type Value = string | number | boolean | null | Reference | Name | readonly Value[] | Dictionary;
export interface Dictionary {
  readonly kind: 'dictionary';
  readonly fields: ReadonlyMap<string, Value>;
}

const deepest = 20;

/** Reads values from a text of one character a byte. */
export class ValueReader {
  readonly #text: string;
  at: number;

  constructor(text: string, at = 0) {
    this.#text = text;
    this.at = at;
  }

  /** Takes what a pattern finds here. @param pattern sticky */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  value(depth = 0): Value {
    if (depth > deepest) throw new Fault('pdf', String(this.at));
    this.take(/[\s\0]*/y);
    if (this.take(/<</y)) return this.#dictionary(depth);
    if (this.take(/\[/y)) return this.#array(depth);
    const name = this.take(/\/([^\s\0()<>[\]{}/%]*)/y);
    if (name) return { kind: 'name', text: name[1] ?? '' };
    const reference = this.take(/(\d{1,9}) 0 R\b/y);
    if (reference) return { kind: 'reference', id: Number(reference[1]) };
    const number = this.take(/[+-]?\d*\.?\d+/y);
    if (number) return Number(number[0]);
    const word = this.take(/true|false|null/y)?.[0];
    if (word) return word === 'null' ? null : word === 'true';
    const hexadecimal = this.take(/<([0-9A-Fa-f\s]*)>/y);
    if (hexadecimal) return fromHex(hexadecimal[1] ?? '');
    return this.#string();
  }

  #dictionary(depth: number): Dictionary {
    const fields = new Map<string, Value>();
    for (;;) {
      this.take(/[\s\0]*/y);
      if (this.take(/>>/y)) return { kind: 'dictionary', fields };
      const name = this.take(/\/([^\s\0()<>[\]{}/%]*)/y)?.[1];
      if (name === undefined || fields.has(name)) throw new Fault('pdf', String(this.at));
      fields.set(name, this.value(depth + 1));
    }
  }

  #array(depth: number): Value[] {
    const values: Value[] = [];
    for (;;) {
      this.take(/[\s\0]*/y);
      if (this.take(/\]/y)) return values;
      values.push(this.value(depth + 1));
    }
  }

  /** A string in parentheses; its escapes stay as they are. */
  #string(): string {
    const found = this.take(/\(((?:[^\\()]|\\[\s\S])*)\)/y);
    if (!found) throw new Fault('pdf', String(this.at));
    return found[1] ?? '';
  }
}

const fromHex = (digits: string): string =>
  (digits.replaceAll(/\s/g, '').match(/../g) ?? [])
    .map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
    .join('');

/** A field of a dictionary; undefined in any other value. */
export const fieldOf = (value: Value | undefined, name: string): Value | undefined =>
  isDictionary(value) ? value.fields.get(name) : undefined;

export const isDictionary = (value: Value | undefined): value is Dictionary =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'dictionary';

export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

export const isReference = (value: Value | undefined): value is Reference =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'reference';
