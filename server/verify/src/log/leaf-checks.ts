import type { Finding } from '../fault.ts';
import type { Leaf } from '../format.ts';
import { hashOf, type Hashing } from '../hashing.ts';
import { listOf, objectOf, parsed } from '../json.ts';
import { concat, fromHex, utf8 } from './bytes.ts';
import type { Expected } from './expected.ts';

// A leaf against the fact of the record that it names.

/** A leaf with its entry read. */
export interface ReadLeaf extends Leaf {
  readonly fields: Readonly<Record<string, unknown>>;
  /** `mutation 0197…`. */
  readonly fact: string;
}

export function readLeaf(leaf: Leaf): ReadLeaf {
  const fields = objectOf(parsed(leaf.entry));
  return { ...leaf, fields, fact: `${String(fields['kind'])} ${String(fields['id'])}` };
}

/** The fields in which leaf and record differ. */
export async function differences(
  { fields, salt, fact }: ReadLeaf,
  expected: Expected,
  hashing: Hashing,
): Promise<Finding[]> {
  const differing = Object.entries(expected.fields)
    .filter(([name, value]) => !isSame(fields[name], value))
    .map(([name]) => name);
  const committed = objectOf(fields['committed']);
  for (const [name, value] of Object.entries(expected.personal))
    if (
      committed[name] === undefined ||
      (salt !== null && committed[name] !== (await hashOf(hashing, concat(fromHex(salt), utf8(`${name}\0${value}`)))))
    )
      differing.push(name);
  return differing.map((name) => ({ code: 'leaf-differs', about: `${fact}: ${name}` }));
}

/** Whether the record shows a value that the leaf commits to, and the pack lacks the salt by which they are compared. */
export const isUnopened = ({ salt }: ReadLeaf, { personal }: Expected): boolean =>
  salt === null && Object.keys(personal).length > 0;

/** Simple values, and lists of them. */
const isSame = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && listOf(one).every((value, i) => value === other[i])
    : one === other;
