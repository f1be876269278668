/**
 * A moment to the microsecond, as text, for the end of a page. A JavaScript date would round it, and the next page
 * would repeat or skip an entry.
 */
export const exactMoment = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
