import { Icon } from '../../ui/icons.tsx';
import type { ParkedRow } from '../model/parked-list.ts';
import type { RepairField } from '../model/parked-row.ts';
import { overOf } from '../model/parked-row.ts';
import { fieldLabel } from '../words/parked-sentences.ts';
import { t } from '../words/words.ts';
import { Moment } from './moment.tsx';

interface RefusedProps {
  readonly row: ParkedRow;
  readonly refused: readonly RepairField[];
  /** The host has taken the row since. */
  readonly isGone: boolean;
}

/** The values that the host refuses, with the characters too many marked, and its own words. */
export function Refused({ row, refused, isGone }: RefusedProps) {
  const { parked_at: since, attempts, reason, sqlstate, state, skipped_by: by, skip_reason: why } = row;
  return (
    <section className={isGone ? 'panel pad' : 'refused'}>
      <p>
        <strong>
          <Icon name="x" small /> {t(isGone ? 'repair.wasRefused' : 'repair.refused')}
        </strong>{' '}
        · <Moment at={since} of={row} /> · {t('repair.tries', { n: attempts })}
      </p>
      {refused.map((field) => {
        const [fitting, over] = overOf(field);
        return (
          <p key={field.id} className="mt">
            <span className="small">{fieldLabel(field)}</span>
            <br />
            <span className="value">
              {fitting}
              {over !== '' && <span className="over">{over}</span>}
            </span>
          </p>
        );
      })}
      <p className="small mt">{t('repair.host', { why: reason, state: sqlstate })}</p>
      {state === 'skipped' && <p className="mt">{t('repair.skipped', { by: by ?? '', why: why ?? '' })}</p>}
    </section>
  );
}
