/**
 * Returns the same text as `canonicalJson` (RFC 8785) for a parsed JSON value of any depth. The engine's own writer and
 * every recursive writer fail at some thousand levels. It is slow, and used only for such items.
 */
export function deepCanonicalJson(value: unknown): string {
  const text: string[] = [];
  const left: Piece[] = [{ value }];
  for (let piece = left.pop(); piece !== undefined; piece = left.pop()) {
    if (typeof piece === 'string') text.push(piece);
    else if (Array.isArray(piece.value)) pushArray(left, piece.value);
    else if (typeof piece.value === 'object' && piece.value !== null) pushObject(left, piece.value);
    else text.push(JSON.stringify(piece.value) ?? 'null');
  }
  return text.join('');
}

/** Text, or a value that is not written yet. The last piece is the next one. */
type Piece = string | { readonly value: unknown };

function pushArray(left: Piece[], values: readonly unknown[]): void {
  left.push(']');
  for (const [index, value] of [...values.entries()].toReversed()) {
    left.push({ value });
    if (index > 0) left.push(',');
  }
  left.push('[');
}

function pushObject(left: Piece[], members: object): void {
  left.push('}');
  // Without a comparison, `sort` orders by UTF-16 code units, as the RFC requires.
  for (const [index, name] of [...Object.keys(members).toSorted().entries()].toReversed()) {
    left.push({ value: Reflect.get(members, name) });
    left.push(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`);
  }
  left.push('{');
}
