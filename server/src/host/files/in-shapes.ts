/**
 * Rows a MERGE, far below the limit of a statement's parameters. A text for each count would be 24 prepared statements a
 * file and connection, most of them used once.
 */
export const shapes = [24, 8, 4, 3, 2, 1] as const;

/** A list in pieces of few sizes, one a statement. */
export function inShapes<Item>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  for (let done = 0; done < items.length;) {
    const size = shapes.find((shape) => shape <= items.length - done) ?? 1;
    parts.push(items.slice(done, done + size));
    done += size;
  }
  return parts;
}
