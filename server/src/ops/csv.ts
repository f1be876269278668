/** A line of CSV for a spreadsheet. */
export const csvLine = (values: readonly string[]): string => values.map(csvField).join(',');

/** A field that a spreadsheet would take for a formula begins with an apostrophe. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
