import { InvalidChange } from '@tailgate/client-sdk';
import { isFullError } from '../model/faults.ts';
import { t } from './words.ts';

/** The SDK's remark on a field as a sentence for the driver; undefined without one. */
export function faultSentence(message: string | undefined): string | undefined {
  if (message === undefined) return undefined;
  const max = /^must not exceed (\d+)( characters)?$/.exec(message);
  if (max) return t(max[2] === undefined ? 'fault.most' : 'fault.long', { n: Number(max[1]) });
  const min = /^must be at least (\d+)$/.exec(message);
  if (min) return t('fault.least', { n: Number(min[1]) });
  return t('fault.other', { why: message });
}

/** Why a change could not be recorded: the first field at fault, and what is wrong with it. */
export function refusalSentence(error: unknown): string {
  const detail = error instanceof InvalidChange ? error.details[0] : undefined;
  const why = faultSentence(detail?.message ?? (error instanceof Error ? error.message : String(error))) ?? '';
  const field = fieldWord(detail?.path ?? '');
  return field === '' ? t('fault.unsaved', { why }) : t('fault.field', { field, why });
}

/** The driver's word for the last member of a path; a field without one keeps its name. */
function fieldWord(path: string): string {
  const name = path.split('.').findLast((step) => !/^\d+$/.test(step)) ?? '';
  if (name.endsWith('comment') || name.endsWith('comments')) return t('line.comment');
  if (name.startsWith('image')) return t('photos.row');
  if (name.endsWith('_code')) return t('line.reason');
  return name;
}

/** Why a file could not be stored. The browser's own words for a full phone are empty or technical. */
export function storingFault(file: 'photo' | 'sign', error: unknown): string {
  if (isFullError(error)) return t(`${file}.full`);
  return t(`${file}.failed`, { why: error instanceof Error ? error.message : String(error) });
}
