/** A value of an exported row. */
export type Cell = string | number | boolean | null;

/** Text that a spreadsheet would run as a formula. */
const formula = /^[=+\-@\t\r]/;

/** RFC 4180, with CRLF and a byte order mark for spreadsheets. A text that begins as a formula gets an apostrophe. */
export function toCsv(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [heads, ...rows].map((row) => row.map(csvCell).join(','));
  return `\u{feff}${lines.join('\r\n')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'string' && formula.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The name of a file: `parked-2026-11-24-0856.csv`, by UTC. */
export const exportName = (list: string, at: number, extension: string): string =>
  `${list}-${new Date(at).toISOString().slice(0, 16).replace('T', '-').replace(':', '')}.${extension}`;
