/** A row of any host file. */
type Row = { readonly [column: string]: string };

interface Over<R extends Row> {
  /** The columns that identify a row within one stop. */
  readonly key: readonly (keyof R & string)[];
  /** The column with the replication sequence: it changes only with other columns. */
  readonly sequence?: { readonly column: keyof R & string; readonly value: string };
  /** Changes a confirmed row that has no new row. Without it such a row stays as it is. */
  readonly gone?: (row: R) => R;
}

/**
 * Merges new rows over the rows that the host has confirmed. An unchanged row comes back as the same object, so that
 * identity shows whether the host needs a write.
 */
export function overConfirmed<R extends Row>(
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
