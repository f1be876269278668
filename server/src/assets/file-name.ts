import { dropHidden } from '../runtime/hidden-characters.ts';

/** The longest name in common file systems. */
const longest = 255;

/**
 * Makes a sender's file name safe to show and send: without folders (also of Windows), in composed form, without
 * characters that break a line or turn the reading direction (and could hide the extension). A long name is cut
 * before its extension. Returns `''` where no character remains.
 */
export function fileName(sent: string): string {
  const name = dropHidden(sent.replace(/^.*[/\\]/s, '').normalize('NFC')).trim();
  return /^\.*$/.test(name) ? '' : shortenName(name, longest);
}

/** Cuts a name to a length in UTF-16 units, between characters, and keeps its extension. */
export function shortenName(name: string, length: number): string {
  if (name.length <= length) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  const stem = name.slice(0, length - extension.length);
  // No half of a surrogate pair remains.
  return (stem.isWellFormed() ? stem : stem.slice(0, -1)) + extension;
}
