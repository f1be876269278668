import { hostRows, isUntouched } from '../../stops/host-rows.ts';
import type { StopOnHost, RecordedStop, StopRows } from '../../stops/host-stop.ts';
import type { AuditStamp } from '../../host/files/statements.ts';
import { compareAndSet, type Confirmed, type Foreign, type Parked } from './compare-and-set.ts';
import { reasonFor, withStorableKeys, type FittingRows } from './storable-keys.ts';
import type { HostStops } from './host-stops.ts';
import { decideStopWrite } from './judge.ts';
import { withTrace, stopText } from './trace.ts';

export type StopOutcome =
  | Confirmed<StopOnHost>
  /** The stop has no result, and the service has written nothing of it. */
  | { readonly kind: 'nothing' }
  | Foreign
  | ParkedStop;

/** All of the stop waits for a person, or some of its lines; then `confirmed` is the stop on the host. */
export interface ParkedStop extends Parked {
  readonly payload: string;
  readonly confirmed?: StopOnHost;
}

interface Wanted extends FittingRows {
  /** With the lines that the host cannot hold. */
  readonly all: StopRows;
}

/** Brings the host's rows of one stop to the mirror's state. @throws HostError, as `compareAndSet` does */
export async function replicateStop(
  host: HostStops,
  stop: RecordedStop,
  shadow: StopOnHost | undefined,
  stamp: AuditStamp,
): Promise<StopOutcome> {
  if (!shadow && isUntouched(stop.result)) return { kind: 'nothing' };
  let last: Wanted | undefined;
  const outcome = await compareAndSet<StopOnHost, Wanted>(
    {
      want: (confirmed) => (last = wantedOf(stop, confirmed)),
      isOnHost: ({ rows }, confirmed) => stopText(confirmed.rows) === stopText(rows),
      write: ({ rows }, confirmed) => host.write(rows, confirmed?.rows, stamp),
      written: ({ rows }, confirmed) => ({ rows, credited: confirmed?.credited ?? new Set() }),
      read: () => host.read(stop.key, stop.stop),
      decide: (found, { rows }, confirmed) => decideStopWrite(found.rows, rows, confirmed?.rows),
      reasons: {
        missing: `the host has no stop ${stop.stop} on this route`,
        changing: 'the rows of this stop keep changing on the host',
      },
    },
    shadow,
  );
  const unstorable = last?.unstorable ?? [];
  if (outcome.kind === 'foreign' || (outcome.kind === 'confirmed' && unstorable.length === 0)) return outcome;
  const payload = last ? JSON.stringify(unstorable.length > 0 ? last.all : last.rows) : '';
  if (outcome.kind === 'parked') return { ...outcome, payload };
  return { kind: 'parked', sqlstate: '22021', reason: reasonFor(unstorable), payload, confirmed: outcome.confirmed };
}

function wantedOf(stop: RecordedStop, confirmed: StopOnHost | undefined): Wanted {
  const all = hostRows(stop, confirmed);
  const { rows, unstorable } = withStorableKeys(all);
  return { rows: withTrace(rows), unstorable, all };
}
