import type { Translation, Words } from '../../ui/i18n.ts';

/** Legal holds of a stop or a route. */
export const en = {
  'law.title': 'Legal hold',
  'law.about': 'A legal hold keeps changes, files, mails and acts from being deleted at the end of their time.',
  'law.open': 'Place a legal hold',
  'law.none': 'No legal hold.',
  'law.reason': 'Why it is needed',
  'law.noReason': 'Write why the records are needed.',
  'law.until': 'Until, on the clock of this computer; blank: until it is released',
  'law.act': 'Place the hold',
  'law.ofStop': 'stop {stop}',
  'law.ofRoute': 'the whole route',
  'law.ofCustomer': 'customer {customer}',
  'law.by': 'by {by}',
  'law.ends': 'ends',
  'law.why': 'Why it is no longer needed',
  'law.release': 'Release the hold',
  'law.over': 'It is in force no longer.',
} as const satisfies Words;

export const es: Translation<typeof en> = {
  'law.title': 'Retención legal',
  'law.about': 'Una retención legal impide borrar cambios, archivos, correos y actos al final de su plazo.',
  'law.open': 'Poner una retención legal',
  'law.none': 'Sin retención legal.',
  'law.reason': 'Por qué se necesita',
  'law.noReason': 'Escriba por qué se necesitan los registros.',
  'law.until': 'Hasta, en el reloj de este equipo; vacío: hasta que se levante',
  'law.act': 'Poner la retención',
  'law.ofStop': 'parada {stop}',
  'law.ofRoute': 'la ruta entera',
  'law.ofCustomer': 'cliente {customer}',
  'law.by': 'por {by}',
  'law.ends': 'termina',
  'law.why': 'Por qué ya no se necesita',
  'law.release': 'Levantar la retención',
  'law.over': 'Ya no está vigente.',
};
