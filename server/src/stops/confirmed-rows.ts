/** A row of any host file. */
type Row = { readonly [column: string]: string };

interface MergeOptions<R extends Row> {
  /** The columns that identify a row within one stop. */
  readonly key: readonly (keyof R & string)[];
  /** The column with the replication sequence: it changes only with other columns. */
  readonly sequence?: { readonly column: keyof R & string; readonly value: string };
  /** Changes a confirmed row that has no new row. Without it such a row stays as it is. */
  readonly emptied?: (row: R) => R;
}

/**
 * Merges new rows over the rows that the host has confirmed. An unchanged row comes back as the same object, so that
 * identity shows whether the host needs a write.
 */
export function mergeOver<R extends Row>(
  rows: readonly R[],
  shadow: readonly R[] | undefined,
  options: MergeOptions<R>,
): readonly R[] {
  if (!shadow?.length) return rows;
  const remaining = new Map(shadow.map((row) => [keyOf(row, options.key), row]));
  const merged = rows.map((row) => {
    const key = keyOf(row, options.key);
    const before = remaining.get(key);
    remaining.delete(key);
    return before && equalExcept(row, before, options.sequence?.column) ? before : row;
  });
  const emptied = [...remaining.values()].map((row) => {
    const after = options.emptied?.(row) ?? row;
    return equalExcept(after, row) ? row : after;
  });
  return [...merged, ...emptied];
}

export function keyOf(row: Row, columns: readonly string[]): string {
  return columns.map((column) => row[column]).join('\t');
}

/** Whether two rows have the same values, `but` for one column. */
export function equalExcept(row: Row, other: Row, except?: string): boolean {
  for (const column in row) if (column !== except && row[column] !== other[column]) return false;
  return true;
}
