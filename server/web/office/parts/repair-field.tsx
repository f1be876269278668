import { useId } from 'react';
import { Icon } from '../../ui/icons.tsx';
import type { RepairField, Room } from '../model/parked-row.ts';
import type { StopLine } from '../model/stop-lines.ts';
import { roomOf } from '../model/parked-row.ts';
import { fieldLabel } from '../words/parked-sentences.ts';
import { t } from '../words/words.ts';

interface RepairFieldProps {
  readonly field: RepairField;
  readonly text: string;
  /** The line of the stop that the value belongs to. */
  readonly planned?: StopLine | undefined;
  readonly onType: (text: string) => void;
}

/** A value to correct, with the host's bound beside it and the green screen's text below it. */
export function RepairFieldRow({ field, text, planned, onType }: RepairFieldProps) {
  const id = useId();
  const room = roomOf(field.column, text);
  const isGood = room.fits;
  const props = {
    id,
    className: isGood ? 'input' : 'input wrong',
    'aria-describedby': `${id}-room`,
    'aria-invalid': !isGood,
    value: text,
  };
  return (
    <>
      <div className="form-row">
        <div className="field">
          <label className="lab" htmlFor={id}>
            {fieldLabel(field)}
          </label>
          {room.unit === 'digits' || room.most <= 40 ? (
            <input
              {...props}
              inputMode={room.unit === 'digits' ? 'numeric' : 'text'}
              onInput={(event) => onType(event.currentTarget.value)}
            />
          ) : (
            <textarea {...props} rows={2} onInput={(event) => onType(event.currentTarget.value)} />
          )}
        </div>
        <p className={isGood ? 'limit' : 'limit over'} id={`${id}-room`}>
          {/* The refused value fits, too: only a correction earns the tick. */}
          {(!isGood || text !== field.value) && <Icon name={isGood ? 'check' : 'x'} small />}
          {roomText(room)}
        </p>
      </div>
      {planned && (
        <p className="hint">
          {planned.name || planned.description || planned.id}
          {planned.planned !== null && `, ${t('repair.planned', { n: planned.planned })}`}
        </p>
      )}
      {room.hostReads !== undefined && (
        <p className="hosttext">
          {t('repair.reads')}
          <span className="mono">{room.hostReads}</span>
        </p>
      )}
    </>
  );
}

function roomText({ used, most, unit, fits, isNumber }: Room): string {
  if (!isNumber) return t('room.number');
  return fits ? t(`room.${unit}`, { used, most }) : t('room.over', { n: used - most, most });
}
