import type { TimeForm } from '../words/times.ts';
import { ownZone, timeIn, utc } from '../words/times.ts';

interface MomentProps {
  /** ISO 8601, or milliseconds. */
  readonly at: string | number;
  readonly form?: TimeForm;
  /** The facility's zone; the reader's where it is not known. */
  readonly zone?: string;
  /** In a row the row's link shows the UTC time when it has the focus; elsewhere the time takes the focus itself. */
  readonly inRow?: boolean;
}

/** A time on the facility's clock. UTC is beside it on hover and on focus. */
export function Moment({ at, form = 'time', zone = ownZone, inRow = false }: MomentProps) {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  return (
    <time className="moment" dateTime={new Date(ms).toISOString()} tabIndex={inRow ? undefined : 0}>
      {timeIn(ms, zone, Date.now(), form)}
      <span className="utc">{utc(ms)}</span>
    </time>
  );
}
