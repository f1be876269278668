import type { Translation } from '../../ui/i18n.ts';
import type { enPhotos } from './en-photos.ts';

/** The words of `en-photos.ts` in Spanish. */
export const esPhotos: Translation<typeof enPhotos> = {
  // Fotos
  'photo.legend': 'Foto',
  'photo.take': 'Tomar una foto',
  'photo.more': 'Otra foto',
  'photo.number': 'Foto {n}',
  'photo.again': 'Tomar de nuevo la foto {n}',
  'photo.delete': 'Borrar la foto {n}',
  'photo.restore': 'Recuperar',
  'photo.missing': 'Este motivo pide una foto.',
  'photo.first': 'Tomar la foto',
  'photo.saves': 'Con ella se guarda {a} de {b}',
  'photo.saveWithout': 'Guardar {a} de {b} sin foto',
  'photo.corrects': 'Con ella se corrige a {a} de {b}',
  'photo.correctWithout': 'Corregir a {a} de {b} sin foto',
  'photo.skips': 'Con ella se salta la parada',
  'photo.refuses': 'Con ella se rechaza la parada',
  'photo.skipWithout': 'Saltar sin foto',
  'photo.refuseWithout': 'Rechazar sin foto',
  'photo.storing': 'Guardando la foto en este teléfono.',
  'photo.full': 'El teléfono está lleno. Libere espacio y tome la foto de nuevo. Lo que registró se conserva.',
  'photo.failed': 'No se pudo guardar la foto: {why} Tómela de nuevo.',
  'photo.noPicture': 'Este teléfono no puede mostrarla.',

  // Fotos de una parada
  'photos.title': 'Fotos de la parada {n}',
  'photos.row': 'Fotos',
  'photos.whole': 'De toda la parada',
  'photos.lines': 'De sus líneas',
  'photos.one': 'Foto de {name}',
  'photos.keep': { one: 'Guardar {n} foto', other: 'Guardar {n} fotos' },
  'photos.kept': 'Cada foto se guarda en el acto.',
  'photos.overage': 'lo que no está en la lista',
  'photos.count': { one: '{n} foto', other: '{n} fotos' },
};
