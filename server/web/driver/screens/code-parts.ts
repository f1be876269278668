/** Screens with a camera or codes: one file of the build. */
export { HandOverScreen } from './hand-over.tsx';
export { ScanScreen } from './scan.tsx';
export { TakeOverScreen } from './take-over.tsx';
