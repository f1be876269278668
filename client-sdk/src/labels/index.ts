export type { LabelName } from './english.ts';
export { english } from './english.ts';
export type { Labels } from './label-of.ts';
export { codeListOf, labelOf } from './label-of.ts';
export { spanish } from './spanish.ts';
