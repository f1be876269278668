import { Refusal } from '../api/api.ts';
import type { Fault } from '../api/reads.ts';
import { timeIn } from './times.ts';
import { t } from './words.ts';

/** A refusal in a sentence; where another operator was first, with the name and the time. */
export function sentenceOf(fault: Fault): string {
  if (!(fault instanceof Refusal)) return t('fault.unreachable');
  const first = firstOf(fault);
  const why = fault.message;
  if (first) return t('fault.other', { by: first.by, time: timeIn(Date.parse(first.at)), why });
  return t('fault.refused', { why });
}

/** The first author and the time: `data` of a 409. */
export function firstOf(fault: Fault): { readonly by: string; readonly at: string } | undefined {
  if (!(fault instanceof Refusal)) return undefined;
  const { data } = fault;
  if (!(data instanceof Object && 'by' in data && 'at' in data)) return undefined;
  return typeof data.by === 'string' && typeof data.at === 'string' ? { by: data.by, at: data.at } : undefined;
}
