import type { Cause, CauseItem } from '../attention.ts';
import { isAtStop, isOfIncidents } from '../model/causes.ts';
import * as causes from './causes.ts';
import { t } from './words.ts';

type CauseWord = keyof typeof causes.en;
const words = Object.keys(causes.en);
const isWord = (key: string): key is CauseWord => words.includes(key);

/** The name of a kind or a code; a newer server's own name where the console has no words for it. */
function nameOf(area: 'incident' | 'flag', code: string): string {
  const key = `${area}.${code}`;
  return isWord(key) ? t(key) : code;
}
export const incidentName = (kind: string): string => nameOf('incident', kind);
export const flagName = (code: string): string => nameOf('flag', code);

/** All codes that the console has words for. */
export const flagCodes: readonly string[] = words.flatMap((key) => (key.startsWith('flag.') ? [key.slice(5)] : []));
export const incidentKinds: readonly string[] = words.flatMap((key) =>
  key.startsWith('incident.') ? [key.slice(9)] : [],
);

/** What needs a person, in a few words. */
export function causeTitle(cause: Cause): string {
  const { kind, count, capped, file, code } = cause;
  const n = capped ? t('inbox.most', { n: count }) : count;
  if (isOfIncidents(cause)) return t('kind.incident', { what: incidentName(code ?? ''), n });
  if (kind === 'parked') return t(file === 'RTSTUP' ? 'kind.parked.stop' : 'kind.parked.row', { n });
  if (kind === 'late_close') return t(code === 'open' ? 'kind.late_close.open' : 'kind.late_close.waits', { n });
  if (kind === 'incident') return t('kind.incident', { what: code ?? '', n });
  return t(`kind.${kind}`, { n });
}

/** Why, in the words of the host, of the rules or of the person who acted. */
export function causeReason({ kind, file, code, message, items }: Cause): string {
  if (kind === 'parked') return t('why.parked', { file: file ?? '', code: code ?? '', message });
  if (kind === 'flag') return flagName(code ?? '');
  if (kind === 'hold') return t('why.hold', { message, by: items[0]?.text ?? '' });
  return message;
}

/** The place of an entry: its stop, its route, or the driver. */
export function itemText(item: CauseItem): string {
  if (isAtStop(item)) return t('parked.stop', { route: item.route_id, n: item.stop_id });
  return item.route_id ?? item.employee ?? item.facility ?? item.text;
}

/** Places in a row of the inbox; the entries below it have the others. */
const mostPlaces = 3;

export function causePlaces({ kind, items, count }: Cause): string {
  // A hold has no place: its reason names its author.
  if (kind === 'hold') return '';
  const placeOf = kind === 'silent_phone' ? ({ text }: CauseItem) => text : itemText;
  const places = [...new Set(items.slice(0, mostPlaces).map(placeOf))].filter((text) => text !== '');
  return count > mostPlaces ? [...places, '…'].join(', ') : places.join(', ');
}
