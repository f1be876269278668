import { createI18n, isSameDay } from '../../ui/i18n.ts';
import { en } from './en.ts';
import { es } from './es.ts';

/** The words of the driver app. Another language is one more file and one more line here. */
export const i18n = createI18n(en, {
  en: { name: 'English', words: en },
  es: { name: 'Español', words: es },
});

export const { t, time, exactTime, moment, distance } = i18n;

/** A moment after the word “since”: in Spanish it has an article, another one for a day than for a time. */
export const sinceTime = (ms: number, now: number): string =>
  t(isSameDay(ms, now) ? 'since.today' : 'since.day', { time: moment(ms, now) });

/** A duration in words: 42 s, 8 min, 2 h 10 min. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return t('span.seconds', { n: seconds });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t('span.minutes', { n: minutes });
  return t('span.hours', { h: Math.floor(minutes / 60), n: minutes % 60 });
}
