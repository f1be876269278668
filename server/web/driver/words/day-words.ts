import { enDay } from './en-day.ts';
import { esDay } from './es-day.ts';
import { i18n } from './words.ts';

/** The words of the inbox, the day's end and support. */
export const dayWord = i18n.later(enDay, { en: enDay, es: esDay });

/** The button that copies the lines for support. @param isCopied undefined: not tried */
export const copyWord = (isCopied: boolean | undefined): 'support.copy' | 'support.copied' | 'support.select' =>
  isCopied === undefined ? 'support.copy' : isCopied ? 'support.copied' : 'support.select';
