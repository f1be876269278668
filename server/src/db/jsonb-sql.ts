/**
 * The JSON text of a column as `jsonb`, which has neither NUL nor half of a surrogate pair. The texts of earlier versions
 * may contain both as escapes, which are left out. The first branch passes over other escapes: an escaped backslash
 * begins none.
 */
export const asJsonb = (column: string): string =>
  String.raw`regexp_replace(${column}, '(\\[^u])|\\u(?:0000|d[89a-f]..)', '\1', 'g')::jsonb`;
