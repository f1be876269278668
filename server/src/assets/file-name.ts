import { dropHidden } from '../runtime/hidden-characters.ts';

/** As long as file systems allow a name to be. */
const longest = 255;

/**
 * A sender's name for a file, fit to be shown and sent on: without folders (Windows' too), in composed form, nothing in
 * it that breaks a line or turns the reading direction (and so shows an ending that it does not have). Too long a name loses of its middle, not its ending. `''` where
 * nothing is left.
 */
export function fileName(sent: string): string {
  const name = dropHidden(sent.replace(/^.*[/\\]/s, '').normalize('NFC')).trim();
  return /^\.*$/.test(name) ? '' : shortenName(name, longest);
}

/** Cut to a length in UTF-16 units, between characters, with its ending kept where it has one. */
export function shortenName(name: string, length: number): string {
  if (name.length <= length) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  const stem = name.slice(0, length - ending.length);
  // Never half of a surrogate pair.
  return (stem.isWellFormed() ? stem : stem.slice(0, -1)) + ending;
}
