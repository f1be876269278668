/** Screens of a day: its load, inbox and end: one file of the build. */
export { CloseScreen } from './close.tsx';
export { DayScreen } from './day.tsx';
export { InboxScreen } from './inbox.tsx';
export { LoadScreen } from './load.tsx';
export { LoadSectionSheet } from './load-section.tsx';
export { SupportSheet } from './support.tsx';
