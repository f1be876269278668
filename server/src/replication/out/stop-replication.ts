import { hostRows, isUntouched } from '../../stops/host-rows.ts';
import type { HeldStop, HostStop, StopRows } from '../../stops/host-stop.ts';
import type { AuditStamp } from '../../host/files/statements.ts';
import { compareAndSet, type Confirmed, type Foreign, type Parked } from './compare-and-set.ts';
import { reasonFor, withHeldKeys, type FittingRows } from './held-keys.ts';
import type { HostStops } from './host-stops.ts';
import { judgeStop } from './judge.ts';
import { sealed, stopText } from './trace.ts';

export type StopOutcome =
  | Confirmed<HeldStop>
  /** The stop has no result, and the service has written nothing of it. */
  | { readonly kind: 'nothing' }
  | Foreign
  | ParkedStop;

/** All of the stop waits for a person, or some of its lines; then `confirmed` is the stop on the host. */
export interface ParkedStop extends Parked {
  readonly payload: string;
  readonly confirmed?: HeldStop;
}

interface Wanted extends FittingRows {
  /** With the lines that the host cannot hold. */
  readonly all: StopRows;
}

/** Brings the host's rows of one stop to the mirror's state. @throws HostError, as `compareAndSet` does */
export async function replicateStop(
  host: HostStops,
  stop: HostStop,
  shadow: HeldStop | undefined,
  stamp: AuditStamp,
): Promise<StopOutcome> {
  if (!shadow && isUntouched(stop.result)) return { kind: 'nothing' };
  let last: Wanted | undefined;
  const outcome = await compareAndSet<HeldStop, Wanted>(
    {
      want: (held) => (last = wantedOf(stop, held)),
      isOnHost: ({ rows }, held) => stopText(held.rows) === stopText(rows),
      write: ({ rows }, held) => host.write(rows, held?.rows, stamp),
      written: ({ rows }, held) => ({ rows, credited: held?.credited ?? new Set() }),
      read: () => host.read(stop.key, stop.stop),
      judge: (found, { rows }, held) => judgeStop(found.rows, rows, held?.rows),
      reasons: {
        missing: `the host has no stop ${stop.stop} on this route`,
        changing: 'the rows of this stop keep changing on the host',
      },
    },
    shadow,
  );
  const unheld = last?.unheld ?? [];
  if (outcome.kind === 'foreign' || (outcome.kind === 'confirmed' && unheld.length === 0)) return outcome;
  const payload = last ? JSON.stringify(unheld.length > 0 ? last.all : last.rows) : '';
  if (outcome.kind === 'parked') return { ...outcome, payload };
  return { kind: 'parked', sqlstate: '22021', reason: reasonFor(unheld), payload, confirmed: outcome.confirmed };
}

function wantedOf(stop: HostStop, held: HeldStop | undefined): Wanted {
  const all = hostRows(stop, held);
  const { rows, unheld } = withHeldKeys(all);
  return { rows: sealed(rows), unheld, all };
}
