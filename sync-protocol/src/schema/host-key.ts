/**
 * A key in the form of the host's columns: composed (NFC), without trailing blanks. Db2 pads a CHAR column with blanks
 * and ignores them in comparisons. Two keys that differ only in blanks are therefore one key (decision 74). Values that
 * the server returns unchanged (`osd_id`) are compared in this form and stored as sent.
 */
export const hostKey = (key: string): string => withoutFill(key.normalize('NFC'));

/** Removes trailing blanks: the host returns a CHAR column without them, so a written text must have none. */
export const withoutFill = (text: string): string => text.replace(/ +$/, '');
