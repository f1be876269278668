/**
 * Invisible characters that change the display of others: controls (C0, DEL, C1) and the signs that reverse the reading
 * direction. A terminal obeys the first, a mail program the second. All are below U+FFFF.
 */
const hidden = /[\p{Cc}\p{Bidi_Control}]/gv;

/** Tabs and the ends of lines belong to a text of several lines. */
const hiddenInLines = /[[\p{Cc}\p{Bidi_Control}]--[\t\n]]/gv;

const digits = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');

/**
 * For a mail or a page: each hidden character as a mark, such as `[U+202E]`. Lines end in `
 * `.
 */
export function markHidden(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(hiddenInLines, (found) => `[U+${digits(found).toUpperCase()}]`);
}

/** For one line of a terminal: each hidden character as JSON escapes it, such as `\u001b`. JSON keeps its meaning. */
export const escapeHidden = (line: string): string => line.replace(hidden, escaped);

/** For several lines of a terminal. */
export const escapeHiddenInLines = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(hiddenInLines, escaped);

const escaped = (character: string): string => `\\u${digits(character)}`;

/** For a name: without them. */
export const dropHidden = (name: string): string => name.replace(hidden, '');
