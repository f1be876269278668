import { english, labelOf, spanish } from '@tailgate/client-sdk/labels';
import type { RecordedValue } from '@tailgate/sync-protocol';
import type { ShownException } from '../model/shown-value.ts';
import { shownValue } from '../model/shown-value.ts';
import { i18n, reasonText, t } from '../words/words.ts';
import type { Placed } from '../zones.ts';
import { Moment } from './moment.tsx';

/** Words for the codes of a stop's record. */
export interface StopNames {
  /** The names of its items. */
  readonly items: ReadonlyMap<string, string>;
  /** The meanings of the exceptions that it has now. */
  readonly meanings: ReadonlyMap<string, string>;
}

/** A field of a record in words: the item's name and the field's. */
export function fieldText({ item, name }: Omit<RecordedValue, 'value'>, names: StopNames): string {
  const words = labelOf(name, i18n.language() === 'es' ? spanish : english);
  return item === '' ? words : `${names.items.get(item) ?? item}: ${words}`;
}

interface ValueTextProps {
  readonly name: string;
  readonly value: string;
  readonly of: Placed;
  readonly names: StopNames;
}

/** A value of a record in words: its times are on the facility's clock. */
export function ValueText({ name, value, of, names }: ValueTextProps) {
  if (value === '') return <>{t('history.blank')}</>;
  const shown = shownValue(name, value);
  if (shown.is === 'moment') return <Moment at={shown.at} of={of} form="exact" inRow />;
  if (shown.is === 'status') return <>{t(`route.status.${shown.status}`)}</>;
  if (shown.is === 'truth') return <>{t(`history.${shown.truth}`)}</>;
  if (shown.is === 'scanned')
    return (
      <>
        {shown.delivered}
        {shown.exceptions.length > 0 && <Exceptions exceptions={shown.exceptions} names={names} />}
      </>
    );
  if (shown.is === 'exceptions') return <Exceptions exceptions={shown.exceptions} names={names} />;
  return <>{shown.text}</>;
}

function Exceptions({
  exceptions,
  names: { meanings },
}: Pick<ValueTextProps, 'names'> & { readonly exceptions: readonly ShownException[] }) {
  if (exceptions.length === 0) return <>{t('history.blank')}</>;
  return (
    <>
      {exceptions.map(({ code, quantity, barcode, comment }, place) => (
        <span key={place} className="reason">
          {quantity} × {reasonText(code, meanings.get(code))}
          {barcode !== '' && <span className="sub mono">{barcode}</span>}
          {comment !== '' && <span className="sub">{t('stop.quoted', { text: comment })}</span>}
        </span>
      ))}
    </>
  );
}
