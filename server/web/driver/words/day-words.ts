import { enDay } from './en-day.ts';
import { esDay } from './es-day.ts';
import { i18n } from './words.ts';

/** The words of the inbox, the day's end and support. */
export const dayWord = i18n.later(enDay, { en: enDay, es: esDay });
