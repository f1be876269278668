import { enLater } from './en-later.ts';
import { esLater } from './es-later.ts';
import { i18n } from './words.ts';

/** Words of a start that fails and of the sample route, in the present language of the app. */
export const later = i18n.later(enLater, { en: enLater, es: esLater });
