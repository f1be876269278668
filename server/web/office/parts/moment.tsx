import { useSignal } from '../use-signal.ts';
import type { TimeForm } from '../words/times.ts';
import { timeIn, utc } from '../words/times.ts';
import type { Placed } from '../zones.ts';
import { facilities } from '../zones.ts';

interface MomentProps {
  /** ISO 8601, or milliseconds. */
  readonly at: string | number;
  readonly form?: TimeForm;
  /** The row with its zone or its facility; without one the zone that all facilities share. */
  readonly of?: Placed;
  /** In a row the row's link shows the UTC time when it has the focus; elsewhere the time takes the focus itself. */
  readonly inRow?: boolean;
  /** In place of the time, such as its age. */
  readonly words?: string;
}

/** A time on the facility's clock. UTC is beside it on hover and on focus. */
export function Moment({ at, form = 'time', of, inRow = false, words }: MomentProps) {
  useSignal(facilities);
  const ms = typeof at === 'number' ? at : Date.parse(at);
  return (
    <time className="moment" dateTime={new Date(ms).toISOString()} tabIndex={inRow ? undefined : 0}>
      {words ?? timeIn(ms, of, form)}
      <span className="utc">{words === undefined ? utc(ms) : `${timeIn(ms, of, form)} · ${utc(ms)}`}</span>
    </time>
  );
}
