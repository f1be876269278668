import type { Words } from '../../ui/i18n.ts';

/** Words of the inbox, the day's end, the phone and support; `es-day.ts` has the same keys and the same names. */
export const enDay = {
  // The day's end
  'day.all': 'All at the office',
  'day.notAll': 'Not all at the office yet',
  'day.nothing': 'Nothing waits on this phone',
  'day.onItsWay': 'The rest is on its way.',
  'day.waitsForNetwork': 'The rest goes by itself when there is a network.',
  'day.places': 'Where your day is',
  'day.here': 'only on this phone',
  'day.atServer': 'waiting at the server',
  'day.atOffice': { one: 'stop at the back office', other: 'stops at the back office' },
  'day.missing': 'What is missing',
  'day.oldest': 'oldest first',
  'day.stop': 'Stop {n}, {name}',
  'day.photo': 'photo {n} of {total}',
  'day.onePhoto': 'photo',
  'day.file': 'file',
  'day.otherChanges': { one: '{n} other change', other: '{n} other changes' },
  'day.onPhone': 'On this phone.',
  'day.onPhoneSince': 'On this phone since {time}.',
  'day.onServer': 'At the server.',
  'day.onServerSince': 'At the server since {time}.',
  'day.failed': 'It cannot be sent: {why} Take it again, or call the office.',
  'day.also': 'Also on this phone',
  'day.other': { one: '{name}, {n} thing', other: '{name}, {n} things' },
  'day.otherSignIn': 'They wait for {name} to sign in here once.',
  'day.otherGoes': 'They go by themselves, under that name.',
  'day.handOver': 'Hand over to a phone',
  'day.losesNothingOf': {
    one: 'Signing out loses nothing. {n} thing still goes by itself.',
    other: 'Signing out loses nothing. {n} things still go by themselves.',
  },
  'size.kb': '{n} kB',
  'size.mb': '{n} MB',

  // The phone
  'phone.title': 'This phone',
  'phone.clockRight': 'The clock is right.',
  'phone.clockUnknown': 'The clock is compared when there is a network.',
  'phone.room': { one: 'There is room for {n} more photo.', other: 'There is room for about {n} more photos.' },
  'phone.roomWhy': 'Delete something else on this phone; nothing of your work is deleted.',
  'phone.kept': 'The data is kept until you delete it.',
  'phone.notKept': 'The browser may delete the data when space is short. On the home screen it is kept.',

  // Support
  'support.title': 'Support code',
  'support.why': 'Show the code to support, or read the lines out. It has no password, no name and no delivery in it.',
  'support.code': 'Code for support',
  'support.text': 'The same as text',
  'support.copy': 'Copy all details',
  'support.copied': 'Copied',
  'signIn.goes': { one: '{n} change by {name} is on its way.', other: '{n} changes by {name} are on their way.' },
  'signIn.goesWhy': 'They go by themselves when there is a network; no sign-in is needed.',
} as const satisfies Words;
