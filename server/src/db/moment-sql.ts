/**
 * A moment to the microsecond, as text, by which a page says where it ended: a JavaScript date would round it, and show an
 * entry twice or never.
 */
export const exactMoment = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
