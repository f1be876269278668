/** A part of a list, newest first. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null after the last one. */
  readonly nextCursor: string | null;
}

/** A page of at most `limit` rows; that there are more is told by one row too many. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  { item, cursor }: { readonly item: (row: Row) => Item; readonly cursor: (row: Row) => string },
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(item), nextCursor: rows.length > limit && last !== undefined ? cursor(last) : null };
}
