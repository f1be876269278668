/**
 * A key as the host's columns hold it: composed (NFC), without blanks at its end. Db2 fills a CHAR column with blanks
 * and compares without them, so two keys that differ in nothing else are one key there, and have to be one here (decision
 * 74). Values that are handed back unchanged (`osd_id`) are compared by this and kept as they came.
 */
export const hostKey = (key: string): string => withoutFill(key.normalize('NFC'));

/** A CHAR column comes back without the blanks at its end: what goes there must not have any either. */
export const withoutFill = (text: string): string => text.replace(/ +$/, '');
