import { t } from './words.ts';

/** The SDK's remark on a field as a sentence for the driver; undefined without one. */
export function faultSentence(message: string | undefined): string | undefined {
  if (message === undefined) return undefined;
  const most = /^must not exceed (\d+)( characters)?$/.exec(message);
  if (most) return t(most[2] === undefined ? 'fault.most' : 'fault.long', { n: Number(most[1]) });
  const least = /^must be at least (\d+)$/.exec(message);
  if (least) return t('fault.least', { n: Number(least[1]) });
  return t('fault.other', { why: message });
}
