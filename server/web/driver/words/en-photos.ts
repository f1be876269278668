import type { Words } from '../../ui/i18n.ts';

/** Words of photos; `es-photos.ts` has the same keys and the same names. */
export const enPhotos = {
  // Photos
  'photo.legend': 'Photo',
  'photo.take': 'Take a photo',
  'photo.more': 'Another photo',
  'photo.number': 'Photo {n}',
  'photo.again': 'Take photo {n} again',
  'photo.delete': 'Delete photo {n}',
  'photo.restore': 'Bring back',
  'photo.missing': 'This reason asks for a photo.',
  'photo.first': 'Take the photo',
  'photo.saves': 'It also saves {a} of {b}',
  'photo.saveWithout': 'Save {a} of {b} without a photo',
  'photo.corrects': 'It also corrects to {a} of {b}',
  'photo.correctWithout': 'Correct to {a} of {b} without a photo',
  'photo.skips': 'It also skips the stop',
  'photo.refuses': 'It also refuses the stop',
  'photo.skipWithout': 'Skip without a photo',
  'photo.refuseWithout': 'Refuse without a photo',
  'photo.storing': 'Saving the photo on this phone.',
  'photo.full': 'This phone is full. Free some space, then take the photo again. What you recorded is kept.',
  'photo.failed': 'The photo could not be saved: {why} Take it again.',
  'photo.noPicture': 'This phone cannot show it.',

  // Photos of a stop
  'photos.title': 'Photos of stop {n}',
  'photos.row': 'Photos',
  'photos.whole': 'Of the whole stop',
  'photos.lines': 'Of its lines',
  'photos.one': 'Photo of {name}',
  'photos.keep': { one: 'Keep {n} photo', other: 'Keep {n} photos' },
  'photos.kept': 'Each photo is kept at once.',
  'photos.overage': 'what is not on the list',
  'photos.count': { one: '{n} photo', other: '{n} photos' },
} as const satisfies Words;
