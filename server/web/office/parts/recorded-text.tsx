import { english, labelOf, spanish } from '@tailgate/client-sdk/labels';
import type { RecordedValue } from '@tailgate/sync-protocol';
import { shownValue } from '../model/shown-value.ts';
import { i18n, t } from '../words/words.ts';
import type { Placed } from '../zones.ts';
import { Moment } from './moment.tsx';

/** The names of the items of a stop, by their codes. */
export type ItemNames = ReadonlyMap<string, string>;

/** A field of a record in words: the item's name and the field's. */
export function fieldText({ item, name }: Omit<RecordedValue, 'value'>, names: ItemNames): string {
  const words = labelOf(name, i18n.language() === 'es' ? spanish : english);
  return item === '' ? words : `${names.get(item) ?? item}: ${words}`;
}

interface ValueTextProps {
  readonly name: string;
  readonly value: string;
  readonly of: Placed;
}

/** A value of a record in words: its times are on the facility's clock. */
export function ValueText({ name, value, of }: ValueTextProps) {
  if (value === '') return <>{t('history.blank')}</>;
  const shown = shownValue(name, value);
  if (shown.is === 'moment') return <Moment at={shown.at} of={of} form="exact" inRow />;
  if (shown.is === 'status') return <>{t(`route.status.${shown.status}`)}</>;
  if (shown.is === 'truth') return <>{t(`history.${shown.truth}`)}</>;
  return <>{shown.text}</>;
}
