import { createI18n } from '../../ui/i18n.ts';
import { en } from './en.ts';
import { es } from './es.ts';

/** The words of the driver app. Another language is one more file and one more line here. */
export const i18n = createI18n(en, {
  en: { name: 'English', words: en },
  es: { name: 'Español', words: es },
});

export const { t, time, exactTime, moment, distance } = i18n;

/** A duration in words: 42 s, 8 min, 2 h 10 min. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return t('span.seconds', { n: seconds });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t('span.minutes', { n: minutes });
  return t('span.hours', { h: Math.floor(minutes / 60), n: minutes % 60 });
}
