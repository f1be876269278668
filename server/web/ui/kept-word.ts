/** A word that this browser keeps from start to start; undefined where there is none, or where the browser blocks storage. */
export function keptWord(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param word undefined: none any more */
export function keepWord(key: string, word: string | undefined): void {
  try {
    if (word === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, word);
  } catch {
    // It lasts until the next start.
  }
}
