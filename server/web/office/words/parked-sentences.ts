import type { ParkedRow } from '../model/parked-list.ts';
import { subjectOf } from '../model/parked-list.ts';
import type { RepairField } from '../model/parked-row.ts';
import { t } from './words.ts';

/** The subject of a refused row, in a few words. */
export function subjectText(row: ParkedRow): string {
  const subject = subjectOf(row);
  if (subject.is === 'stop') return t('parked.stop', subject);
  return subject.is === 'route' ? t('parked.route', subject) : t('parked.row', subject);
}

/** The name of a field: with its item for a line, its number among equal lines, and what is to bring back. */
export function fieldLabel({ column, line }: RepairField): string {
  const text = t(`field.${column}`);
  if (!line) return text;
  const item = line.n === 0 ? line.item : t('field.nth', { item: line.item, n: line.n + 1 });
  return t(line.kind === 'collections' ? 'field.ofCollection' : 'field.ofLine', { item, text });
}
