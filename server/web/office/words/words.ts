import { createI18n } from '../../ui/i18n.ts';
import { en, es } from './all.ts';

export type OfficeWords = typeof en;

/** The words of the console. */
export const i18n = createI18n(en, {
  en: { name: 'English', words: en },
  es: { name: 'Español', words: es },
});

export const { t } = i18n;

/** A credit reason: its meaning, then its code. */
export const reasonText = (code: string, meaning = ''): string => (meaning === '' ? code : `${meaning} (${code})`);

/** Bytes in words: 840 kB, 1.9 MB. */
export const sizeText = (bytes: number): string =>
  bytes < 1_000_000
    ? t('size.kB', { n: Math.ceil(bytes / 1_000) })
    : t('size.MB', { n: Math.round(bytes / 100_000) / 10 });

/** A duration in words: 42 s, 8 min, 2 h 10 min, 3 d 4 h. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return t('span.seconds', { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('span.minutes', { n: minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return t('span.hours', { h: hours, n: minutes % 60 });
  return t('span.days', { d: Math.floor(hours / 24), n: hours % 24 });
}
