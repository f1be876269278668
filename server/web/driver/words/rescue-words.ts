import { enRescue } from './en-rescue.ts';
import { esRescue } from './es-rescue.ts';
import { i18n } from './words.ts';

/** The words of the hand-over: they load with its screens. */
export const rescueWord = i18n.later(enRescue, { en: enRescue, es: esRescue });
