import type { LocalStop, Status } from '@tailgate/client-sdk';
import type { Left } from '../model/day.ts';
import { warehouse } from '../model/order.ts';
import { i18n, sinceTime, t } from './words.ts';
import { reviewSentence } from './review-sentence.ts';
import { dayWord } from './day-words.ts';
import { whereWord } from './where-words.ts';

const stopTitle = ({ id, customer }: Pick<LocalStop, 'id' | 'customer'>): string =>
  id === warehouse ? t('route.home') : dayWord('day.stop', { n: id, name: customer.name });

/** What it is. */
export function leftTitle(left: Left): string {
  if (left.kind === 'other') return dayWord('day.otherChanges', { n: left.n });
  if (left.kind === 'failed') return left.name || dayWord('day.file');
  if (left.kind !== 'file') return stopTitle(left.stop);
  const { stop, photo, file } = left;
  const what = photo
    ? dayWord('day.photo', { n: photo.n, total: photo.total })
    : file.kind === 'signature'
      ? whereWord('where.signature')
      : dayWord(file.kind === 'photo' ? 'day.onePhoto' : 'day.file');
  return stop ? `${t('route.stopNumber', { n: stop.id })}, ${what}` : what;
}

/** Where it is, since when, and what happens next. */
export function leftSentence(left: Left): string {
  const time = left.since === undefined ? undefined : sinceTime(left.since, Date.now());
  const here = time === undefined ? dayWord('day.onPhone') : dayWord('day.onPhoneSince', { time });
  const server = time === undefined ? dayWord('day.onServer') : dayWord('day.onServerSince', { time });
  switch (left.kind) {
    case 'change':
      return `${here} ${t('count.changes', { n: left.n })}.`;
    case 'other':
      return here;
    case 'server':
      return `${server} ${whereWord('where.notOfficeWhy')}`;
    case 'parked':
      return `${server} ${whereWord('where.parked')}`;
    case 'review':
      return reviewSentence(left.code);
    case 'failed':
      return dayWord('day.failed', { why: left.why });
    case 'file': {
      const sent = left.percent > 0 ? whereWord('where.sent', { n: left.percent }) : '';
      return [here, sizeWord(left.file.size), sent].filter(Boolean).join(' ');
    }
    default:
      return left satisfies never;
  }
}

/** 1.8 MB, 240 kB. */
const sizeWord = (bytes: number): string =>
  bytes < 1_000_000
    ? dayWord('size.kb', { n: Math.ceil(bytes / 1_000) })
    : dayWord('size.mb', { n: i18n.number(Math.round(bytes / 100_000) / 10) });

/** Why the changes of a driver do not leave this phone by themselves; undefined where they do. */
export function heldSentence(
  { awaitsSignIn, refused }: Pick<Status, 'awaitsSignIn' | 'refused'>,
  employee: string,
  name: string,
): string | undefined {
  if (employee in awaitsSignIn) return dayWord('day.otherSignIn', { name });
  return employee in refused ? t('net.refused') : undefined;
}
