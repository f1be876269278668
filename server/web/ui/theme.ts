import { keepWord, keptWord } from './kept-word.ts';

/** `auto` follows the system. `sun` is black on white with thick edges, for sunlight on the glass. */
export const themes = ['auto', 'light', 'dark', 'sun'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'tailgate-theme';
let chosen: Theme = 'auto';
const dark = matchMedia('(prefers-color-scheme: dark)');

/** Applies the kept theme before the first paint, and follows the system from then on. */
export function startTheme(): void {
  const kept = keptWord(storageKey);
  chosen = themes.find((each) => each === kept) ?? 'auto';
  dark.addEventListener('change', apply);
  apply();
}

export const currentTheme = (): Theme => chosen;

export function setTheme(theme: Theme): void {
  chosen = theme;
  keepWord(storageKey, theme);
  apply();
}

function apply(): void {
  const shown = chosen === 'auto' ? (dark.matches ? 'dark' : 'light') : chosen;
  document.documentElement.dataset['theme'] = shown;
  const paper = getComputedStyle(document.documentElement).getPropertyValue('--bg').trim();
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', paper);
}
