import type { LocalStop } from '@tailgate/client-sdk';
import type { Left } from '../model/day.ts';
import { warehouse } from '../model/order.ts';
import { i18n, moment, t } from './words.ts';

const stopTitle = ({ id, customer }: Pick<LocalStop, 'id' | 'customer'>): string =>
  id === warehouse ? t('route.home') : t('day.stop', { n: id, name: customer.name });

/** What it is. */
export function leftTitle(left: Left): string {
  if (left.kind === 'other') return t('day.otherChanges', { n: left.n });
  if (left.kind === 'failed') return left.name || t('day.file');
  if (left.kind !== 'file') return stopTitle(left.stop);
  const { stop, photo, file } = left;
  const what = photo
    ? t('day.photo', { n: photo.n, total: photo.total })
    : t(file.kind === 'signature' ? 'where.signature' : file.kind === 'photo' ? 'day.onePhoto' : 'day.file');
  return stop ? `${t('route.stopNumber', { n: stop.id })}, ${what}` : what;
}

/** Where it is, since when, and what happens next. */
export function leftSentence(left: Left): string {
  const time = left.since === undefined ? undefined : moment(left.since, Date.now());
  const here = time === undefined ? t('day.onPhone') : t('day.onPhoneSince', { time });
  const server = time === undefined ? t('day.onServer') : t('day.onServerSince', { time });
  switch (left.kind) {
    case 'change':
      return `${here} ${t('count.changes', { n: left.n })}.`;
    case 'other':
      return here;
    case 'server':
      return `${server} ${t('where.notOfficeWhy')}`;
    case 'parked':
      return `${server} ${t('where.parked')}`;
    case 'review':
      return t('where.lookWhy', { why: left.why });
    case 'failed':
      return t('day.failed', { why: left.why });
    case 'file': {
      const sent = left.percent > 0 ? t('where.sent', { n: left.percent }) : '';
      return [here, sizeWord(left.file.size), sent].filter(Boolean).join(' ');
    }
    default:
      return left satisfies never;
  }
}

/** 1.8 MB, 240 kB. */
const sizeWord = (bytes: number): string =>
  bytes < 1_000_000
    ? t('size.kb', { n: Math.ceil(bytes / 1_000) })
    : t('size.mb', { n: i18n.number(Math.round(bytes / 100_000) / 10) });
