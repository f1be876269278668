/** A list in pieces of `most` items, the last one shorter: what a statement can take is bounded. */
export function inParts<Item>(items: readonly Item[], max: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / max) }, (_, part) => items.slice(part * max, (part + 1) * max));
}
