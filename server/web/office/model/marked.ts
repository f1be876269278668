/** A part of a text, and whether the question is in it. */
export interface Part {
  readonly text: string;
  readonly isHit: boolean;
}

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The parts of a text; each word of the question marks the beginnings that are equal, without accents and case. */
export function markedParts(text: string, question: string): Part[] {
  const words = question
    .split(/[^\p{L}\p{N}]+/u)
    .map(plain)
    .filter((word) => word !== '');
  const letters = Array.from(text);
  const hits = letters.map(() => false);
  for (const word of words)
    for (let from = 0; from < letters.length; from++) {
      const isStart = from === 0 || !/[\p{L}\p{N}]/u.test(letters[from - 1] ?? '');
      const length = isStart ? lengthOf(letters, from, word) : 0;
      for (let at = from; at < from + length; at++) hits[at] = true;
    }
  const parts: { text: string; isHit: boolean }[] = [];
  for (const [at, letter] of letters.entries()) {
    const last = parts.at(-1);
    const isHit = hits[at] ?? false;
    if (last?.isHit === isHit) last.text += letter;
    else parts.push({ text: letter, isHit });
  }
  return parts;
}

/** The letters from a place on that make the word; 0 where they do not. */
function lengthOf(letters: readonly string[], from: number, word: string): number {
  let rest = word;
  for (let at = from; at < letters.length; at++) {
    const letter = plain(letters[at] ?? '');
    if (!rest.startsWith(letter)) return 0;
    rest = rest.slice(letter.length);
    if (rest === '') return at - from + 1;
  }
  return 0;
}
