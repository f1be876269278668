import { enLoad } from './en-load.ts';
import { esLoad } from './es-load.ts';
import { i18n } from './words.ts';

/** The words of the load condition report and the warehouse. */
export const loadWord = i18n.later(enLoad, { en: enLoad, es: esLoad });
