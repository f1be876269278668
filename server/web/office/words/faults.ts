import { AskedAgain, Refusal } from '../api/api.ts';
import type { Fault } from '../api/reads.ts';
import type { First } from '../gate.ts';
import { en } from './all.ts';
import { atTime } from './times.ts';
import { t } from './words.ts';

/**
 * A refusal in a sentence; where another operator was first, with the name and the time. Without an answer: whether the
 * page asks again by itself, as it does for what it shows, or the operator has to.
 */
export function sentenceOf(fault: Fault): string {
  if (!(fault instanceof Refusal)) return t(fault instanceof AskedAgain ? 'fault.unreachable' : 'fault.unanswered');
  const first = firstOf(fault);
  return first ? firstText(first) : t('fault.refused', { why: fault.message });
}

/** The decision of the operator who was first, in a sentence. */
export function firstText({ by, at, act = '' }: First): string {
  const values = { by, time: atTime(Date.parse(at)) };
  const name = `first.${act}`;
  return isWord(name) ? t(name, values) : t('first.changed', values);
}

type FirstWord = Extract<keyof typeof en, `first.${string}`>;
const isWord = (name: string): name is FirstWord => name in en;

/** The decision of the operator who was first: `data` of a 409. */
export function firstOf(fault: Fault): First | undefined {
  if (!(fault instanceof Refusal)) return undefined;
  const { data } = fault;
  if (!(data instanceof Object && 'by' in data && 'at' in data)) return undefined;
  if (typeof data.by !== 'string' || typeof data.at !== 'string') return undefined;
  return { by: data.by, at: data.at, ...('act' in data && typeof data.act === 'string' && { act: data.act }) };
}
