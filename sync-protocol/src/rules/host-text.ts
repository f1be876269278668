import { withoutFill } from '../schema/host-key.ts';

// The protocol has this rule, so an app can show the host's text while a driver types.

/** A text in the form of a CHAR column of the host. */
export interface HostText {
  readonly text: string;
  /** Whether characters were cut or replaced. The mirror has the original, and the row's text flag is set. */
  readonly altered: boolean;
}

/** Lengths of people's texts on the host. The service accepts, shows and mails longer texts whole; only the host's copy is cut. */
export const hostLengths = {
  driver_comments: 256,
  skip_refuse_driver_comment: 256,
  store_emp_name: 40,
  /** The comment of an exception (OSD) or of an overage item. */
  comment: 256,
} as const;

/**
 * The code pages of hosts (37, 500, 273, 297, ISO 8859-1) have the 256 characters of Latin-1 only; 1140 has the euro in
 * place of `¤`, so none counts as having either. Typographic characters of phones with an accepted spelling get that
 * spelling; all others become `?` (decision 51).
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

/** Most texts match this and need no check of each character. */
const plain = /^[\x20-\x7e]*$/;
const foreign = /[^\x20-\x7e\xa0-\xa3\xa5-\xff]/gu;
const control = /\p{Cc}/u;

/** The host's form of a text: composed (NFC), in the characters of all of its code pages, with control characters as blanks, cut at a word. */
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

/** Cuts before the last word, or within it where it is more than half of the text (a long number, a link). */
function cutAtWord(text: string, length: number): string {
  if (text[length] === ' ') return text.slice(0, length);
  const blank = text.slice(0, length).lastIndexOf(' ');
  return text.slice(0, blank * 2 < length ? length : blank);
}
