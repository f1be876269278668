import type { Words } from '../../ui/i18n.ts';

/** Words of counts; `es-counts.ts` has the same keys and the same names. */
export const enCounts = {
  // Counts
  'counts.all': 'Count all of it',
  'counts.allTotes': 'Count all of it · {a} of {b} totes',
  'counts.toCount': '{n} to count',
  'counts.required': 'count needed',
  'counts.open': 'not counted',
  'counts.verify': 'Count these together with the customer.',
  'counts.hint': 'Each tap is kept.',
  'counts.more': 'Taken back, pallets',
  'counts.palletsLabel': 'Pallets left here',
  'counts.backLabel': 'Pieces taken back',
  'counts.pallets': { one: '{n} pallet', other: '{n} pallets' },

  'load.link': 'Check the load before you leave',
  'load.linkSaved': 'The load is checked',
  // Faults of fields
  'fault.most': 'At most {n}.',
  'fault.least': 'At least {n}.',
  'fault.long': { one: 'At most {n} character.', other: 'At most {n} characters.' },
  'fault.other': 'This cannot be saved: {why}',
  'fault.field': 'Not saved. {field}: {why}',
  'fault.unsaved': 'Not saved. {why}',
} as const satisfies Words;
