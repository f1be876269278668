/** A row of a host file, whatever its columns. */
type Row = { readonly [column: string]: string };

interface Over<R extends Row> {
  /** The columns that tell the rows of one stop apart. */
  readonly key: readonly (keyof R & string)[];
  /** The column that carries the replication sequence: it moves only with the others. */
  readonly sequence?: { readonly column: keyof R & string; readonly value: string };
  /** What becomes of a held row that is not among the new ones; without it the row stays as it is. */
  readonly gone?: (row: R) => R;
}

/**
 * Lays new rows over the held ones. A row whose values the host holds already comes out as the held row itself, so
 * that "is it the same object" tells whether it has to be written.
 */
export function overHeld<R extends Row>(
  rows: readonly R[],
  held: readonly R[] | undefined,
  over: Over<R>,
): readonly R[] {
  if (!held?.length) return rows;
  const waiting = new Map(held.map((row) => [keyOf(row, over.key), row]));
  const laid = rows.map((row) => {
    const key = keyOf(row, over.key);
    const before = waiting.get(key);
    waiting.delete(key);
    return before && equalBut(row, before, over.sequence?.column) ? before : row;
  });
  const gone = [...waiting.values()].map((row) => {
    const after = over.gone?.(row) ?? row;
    return equalBut(after, row) ? row : after;
  });
  return [...laid, ...gone];
}

export function keyOf(row: Row, columns: readonly string[]): string {
  return columns.map((column) => row[column]).join('\t');
}

/** Whether two rows have the same values, `but` for one column. */
export function equalBut(row: Row, other: Row, but?: string): boolean {
  for (const column in row) if (column !== but && row[column] !== other[column]) return false;
  return true;
}
