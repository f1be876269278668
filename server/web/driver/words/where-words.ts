import { enWhere } from './en-where.ts';
import { esWhere } from './es-where.ts';
import { i18n } from './words.ts';

/** The words of the place of a change: its ticks, its files, its review. */
export const whereWord = i18n.later(enWhere, { en: enWhere, es: esWhere });
