import type { ParkedRow } from '../model/parked-list.ts';
import { subjectOf } from '../model/parked-list.ts';
import { t } from './words.ts';

/** The subject of a refused row, in a few words. */
export function subjectText(row: ParkedRow): string {
  const subject = subjectOf(row);
  if (subject.is === 'stop') return t('parked.stop', subject);
  return subject.is === 'route' ? t('parked.route', subject) : t('parked.row', subject);
}
