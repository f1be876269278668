import { markHidden } from '../../../runtime/hidden-characters.ts';

/** Whether a font shows a character. */
export type HasGlyph = (codePoint: number) => boolean;

/**
 * A text as a font shows it. A character without a glyph reads `[U+65E5]`: a reader of evidence sees that it is there.
 * The same for a character that turns or hides others, and for the soft hyphen, which a renderer drops.
 */
export function shownText(text: string, hasGlyph: HasGlyph): string {
  let shown = '';
  for (const character of markHidden(text).replaceAll('\t', ' ')) {
    const codePoint = character.codePointAt(0) ?? 0;
    const isShown = character === '\n' || (codePoint !== softHyphen && hasGlyph(codePoint));
    shown += isShown ? character : `[U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}]`;
  }
  return shown;
}

const softHyphen = 0xad;
