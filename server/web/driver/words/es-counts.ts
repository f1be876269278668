import type { Translation } from '../../ui/i18n.ts';
import type { enCounts } from './en-counts.ts';

/** Words of counts in Spanish. */
export const esCounts: Translation<typeof enCounts> = {
  // Counts
  'counts.all': 'Contar todo',
  'counts.allTotes': 'Contar todo · {a} de {b} cubetas',
  'counts.toCount': '{n} por contar',
  'counts.required': 'hay que contar',
  'counts.open': 'sin contar',
  'counts.verify': 'Cuéntelo junto con el cliente.',
  'counts.hint': 'Cada toque se conserva.',
  'counts.more': 'Retirado, palés',
  'counts.palletsLabel': 'Palés que quedan aquí',
  'counts.backLabel': 'Bultos retirados',
  'counts.pallets': { one: '{n} palé', other: '{n} palés' },

  'load.link': 'Revise la carga antes de salir',
  'load.linkSaved': 'La carga está revisada',
  // Faults of fields
  'fault.most': 'Como máximo {n}.',
  'fault.least': 'Como mínimo {n}.',
  'fault.long': { one: 'Como máximo {n} carácter.', other: 'Como máximo {n} caracteres.' },
  'fault.other': 'Esto no se puede guardar: {why}',
  'fault.field': 'No se guardó. {field}: {why}',
  'fault.unsaved': 'No se guardó. {why}',
};
