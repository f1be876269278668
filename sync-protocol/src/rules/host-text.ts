import { withoutFill } from '../schema/host-key.ts';

// Here, and not beside the host's files, so that an app can show what the host will hold while a driver still types.

/** A text as a CHAR column of the host can hold it. */
export interface HostText {
  readonly text: string;
  /** Something was cut or replaced: the original stays in the mirror, and the row's text flag says so. */
  readonly altered: boolean;
}

/** Longest texts of a person on the host. What is longer is taken in, shown and mailed whole, and cut there alone. */
export const hostLengths = {
  driver_comments: 256,
  skip_refuse_driver_comment: 256,
  store_emp_name: 40,
  /** Of an exception (OSD) or of an overage item. */
  comment: 256,
} as const;

/**
 * Code page 37 holds the 256 characters of Latin-1 and nothing else. What people type on phones and what has an
 * accepted spelling in it is spelled so; the rest becomes `?` (decision 51).
 */
const spellings: ReadonlyMap<string, string> = new Map([
  ...spell("'", '\u2018\u2019\u201a\u201b\u2032\u02bc'),
  ...spell('"', '\u201c\u201d\u201e\u201f\u2033'),
  ...spell('-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212'),
  ...spell('...', '\u2026'),
  ...spell('EUR', '\u20ac'),
]);

function spell(as: string, characters: string): [string, string][] {
  return Array.from(characters, (character) => [character, as]);
}

/** Nearly every text on a truck is this: nothing to look at character by character. */
const plain = /^[\x20-\x7e]*$/;
const foreign = /[^\x20-\x7e\xa0-\xff]/gu;
const control = /\p{Cc}/u;

/** What the host will hold of a text: composed (NFC), spelled with the characters of code page 37, controls as blanks, cut at a word. */
export function hostText(original: string | null | undefined, length: number): HostText {
  if (!original) return { text: '', altered: false };
  const composed = withoutFill(plain.test(original) ? original : original.normalize('NFC'));
  const spelled = withoutFill(composed.replace(foreign, spellingOf));
  const text = spelled.length <= length ? spelled : withoutFill(cutAtWord(spelled, length));
  return { text, altered: text !== composed };
}

function spellingOf(character: string): string {
  return control.test(character) ? ' ' : (spellings.get(character) ?? '?');
}

/** Where the last word is most of the text (a long number, a link) it is cut itself: half a text beats none. */
function cutAtWord(text: string, length: number): string {
  if (text[length] === ' ') return text.slice(0, length);
  const blank = text.slice(0, length).lastIndexOf(' ');
  return text.slice(0, blank * 2 < length ? length : blank);
}
