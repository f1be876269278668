import type { LocalStop } from '@tailgate/client-sdk';
import { english, labelOf, spanish } from '@tailgate/client-sdk/labels';
import type { Json } from '@tailgate/sync-protocol';
import { lineOf } from '../model/news.ts';
import { i18n, t } from './words.ts';
import { dayWord } from './day-words.ts';

/** Fields that the name of the line already contains. */
const counts = new Set(['delivered', 'returned']);

/** The name of a path's subject: the product of a count, else the field. */
export function fieldName(stop: LocalStop | undefined, path: string): string {
  const labels = i18n.language() === 'es' ? spanish : english;
  const line = lineOf(stop, path);
  if (!line) return labelOf(path, labels);
  return counts.has(line.field) ? line.name : `${line.name}: ${labelOf(line.field, labels)}`;
}

const statuses: Readonly<Record<string, 'done.delivered' | 'done.skipped' | 'done.refused'>> = {
  D: 'done.delivered',
  S: 'done.skipped',
  R: 'done.refused',
};

/** A value of a field, short enough for a line. */
export function valueWord(path: string, value: Json | undefined): string {
  if (value === undefined || value === null || value === '') return '–';
  if (typeof value === 'boolean') return dayWord(value ? 'inbox.yes' : 'inbox.no');
  if (typeof value === 'number') return i18n.number(value);
  if (typeof value !== 'string') return Array.isArray(value) && value.length === 0 ? '–' : dayWord('inbox.list');
  const status = path === 'status' ? statuses[value] : undefined;
  return status ? t(status) : value;
}
