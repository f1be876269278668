import type { Translation, Words } from '../../ui/i18n.ts';

/** The check of an evidence pack. The sentences of the checks are those of `tailgate-verify`. */
export const en = {
  'check.title': 'Check evidence',
  'check.lead': 'Checks an evidence pack of any server, byte by byte. The server stores nothing of it.',
  'check.drop': 'Drop an evidence pack here',
  'check.dropMore': 'Up to 256 MiB. Larger ones are for the program tailgate-verify.',
  'check.choose': 'Choose a pack',
  'check.other': 'Choose another pack',
  'check.busy': 'Checking {name}',
} as const satisfies Words;

export const es: Translation<typeof en> = {
  'check.title': 'Revisar pruebas',
  'check.lead':
    'Revisa un expediente de prueba de cualquier servidor, byte por byte. El servidor no guarda nada de él.',
  'check.drop': 'Suelte aquí un expediente de prueba',
  'check.dropMore': 'Hasta 256 MiB. Los más grandes son para el programa tailgate-verify.',
  'check.choose': 'Elegir un expediente',
  'check.other': 'Elegir otro expediente',
  'check.busy': 'Revisando {name}',
};
