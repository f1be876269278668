import { hostRows, isUntouched } from '../../stops/host-rows.ts';
import type { StopOnHost, RecordedStop, StopRows } from '../../stops/host-stop.ts';
import type { Ccsid } from '../../host/files/ccsid.ts';
import { HostError, isLocal, isRowError, needsReadBack } from '../../host/host.ts';
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

/** A stop of the mirror, and what the host has confirmed of it. */
export interface BehindStop {
  readonly stop: RecordedStop;
  readonly shadow: StopOnHost | undefined;
}

/**
 * Writes several stops in one host transaction. The answer has those that the host took, by number. The others need
 * `replicateStop`: those with nothing to write, and all of them where one is refused, locked or changed by another
 * program, or where the commit has no answer.
 * @throws HostError where the host is away
 */
export async function replicateTogether(
  host: HostStops,
  stops: readonly BehindStop[],
  stamp: AuditStamp,
): Promise<ReadonlyMap<number, Confirmed<StopOnHost>>> {
  const writes = stops.flatMap((behind) => differenceOf(behind, host.ccsid) ?? []);
  if (writes.length < 2 || !host.isAtomic() || !(await isTaken(host.writeAll(writes, stamp)))) return new Map();
  return new Map(
    writes.map(({ stop, rows, credited }) => [stop, { kind: 'confirmed', confirmed: { rows, credited }, wrote: true }]),
  );
}

/** Undefined where the stop alone decides: it has nothing to write, or a value that the host cannot hold. */
function differenceOf({ stop, shadow }: BehindStop, ccsid: Ccsid) {
  if (!shadow && isUntouched(stop.result)) return undefined;
  try {
    const { rows, unstorable } = wantedOf(stop, shadow, ccsid);
    if (unstorable.length > 0 || (shadow && stopText(shadow.rows) === stopText(rows))) return undefined;
    return { stop: stop.stop, rows, confirmed: shadow?.rows, credited: shadow?.credited ?? new Set<string>() };
  } catch {
    // A value that cannot be rendered: `replicateStop` parks the stop with the reason.
    return undefined;
  }
}

/** False where each stop shows on its own what became of it. @throws HostError where the host is away */
async function isTaken(write: Promise<boolean>): Promise<boolean> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof HostError) || isRowError(error) || isLocal(error) || needsReadBack(error)) return false;
    throw error;
  }
}

/** Brings the host's rows of one stop to the mirror's state. @throws HostError, as `compareAndSet` does */
export async function replicateStop(
  host: HostStops,
  { stop, shadow }: BehindStop,
  stamp: AuditStamp,
  parksSystemErrors = false,
): Promise<StopOutcome> {
  if (!shadow && isUntouched(stop.result)) return { kind: 'nothing' };
  let last: Wanted | undefined;
  const outcome = await compareAndSet<StopOnHost, Wanted>(
    {
      want: (confirmed) => (last = wantedOf(stop, confirmed, host.ccsid)),
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
    parksSystemErrors,
  );
  const unstorable = last?.unstorable ?? [];
  if (outcome.kind === 'foreign' || (outcome.kind === 'confirmed' && unstorable.length === 0)) return outcome;
  const payload = last ? JSON.stringify(unstorable.length > 0 ? last.all : last.rows) : '';
  if (outcome.kind === 'parked') return { ...outcome, payload };
  return { kind: 'parked', sqlstate: '22021', reason: reasonFor(unstorable), payload, confirmed: outcome.confirmed };
}

function wantedOf(stop: RecordedStop, confirmed: StopOnHost | undefined, ccsid: Ccsid): Wanted {
  const all = hostRows(stop, confirmed);
  const { rows, unstorable } = withStorableKeys(all, ccsid);
  return { rows: withTrace(rows), unstorable, all };
}
