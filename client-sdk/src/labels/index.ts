export { codeListOf } from './code-list-of.ts';
export type { LabelName } from './english.ts';
export { english } from './english.ts';
export type { Labels } from './label-of.ts';
export { labelOf } from './label-of.ts';
export { spanish } from './spanish.ts';
