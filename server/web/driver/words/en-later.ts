import type { Words } from '../../ui/i18n.ts';

/** Words of a start that fails and of the sample route, which load when they are needed; `es-later.ts` has the same keys. */
export const enLater = {
  // A start that fails
  'start.title': 'The app cannot open yet',
  'start.inUse': 'Another window has the app open and does not answer.',
  'start.inUseDo': 'Close the other window, or restart the phone. Then try again.',
  'start.denied': 'This browser does not let the app keep data on the phone.',
  'start.deniedDo':
    'Allow data of this page in the browser’s settings, and leave private browsing. Then try again. Without it, a delivery would be lost with the page.',
  'start.full': 'The phone is full.',
  'start.fullDo':
    'Delete something else on this phone, such as videos. Then try again. Nothing of your work is deleted.',
  'start.newer': 'The data on this phone is from a newer version of the app.',
  'start.newerDo':
    'Connect to a network and try again, so that the newest version loads. Your work stays on the phone.',
  'start.slow': 'The phone’s storage does not answer.',
  'start.slowDo':
    'Close other windows of the app. If that does not help, restart the phone. The app opens by itself once it answers.',
  'start.other': 'Something went wrong while the app opened.',
  'start.otherDo': 'Try again. If it happens again, call the office and read out the lines below.',
  'start.kept': 'What you recorded stays on this phone.',
  'start.again': 'Try again',
  'start.support': 'For support',

  // The sample route
  'sample.title': 'Sample route',
  'sample.ribbon': 'Nothing leaves this phone',
  'sample.on': 'Network on',
  'sample.off': 'Network off',
  'sample.tipOff': 'Switch the network off, and deliver. All of it is kept, and goes when the network is back.',
  'sample.tipOffice':
    'After your third delivery the office changes a stop, and a helper changes the next one. Look at the inbox.',
  'sample.tipScan': 'No goods to scan? Type {code} on the scan screen of stop 2.',
  'sample.tipKill': 'Close this page in the middle of a stop, and open it again.',
  'sample.again': 'Start again',
  'sample.leave': 'Leave',
  'sample.signIn': 'Sign in as {name}',
  'sample.signInWhy': 'This is a sample route: it needs no password.',
} as const satisfies Words;
