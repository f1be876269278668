import { hostRows, isUntouched } from '../../stops/host-rows.ts';
import type { HeldStop, HostStop } from '../../stops/host-stop.ts';
import { reasonFor, withHeldKeys } from './held-keys.ts';
import type { HostStops } from './host-stops.ts';
import { HostError, isOneRowsTrouble } from '../../host/host.ts';
import type { AuditStamp } from '../../host/files/statements.ts';
import { judgeStop } from './judge.ts';
import { sealed, stopText } from './trace.ts';

/** What came of bringing one stop to the host. */
export type StopOutcome =
  | { readonly kind: 'confirmed'; readonly held: HeldStop; readonly wrote: boolean }
  /** Nobody has done anything to this stop and the host was never told anything. */
  | { readonly kind: 'nothing' }
  /** Somebody else has changed the stop's rows: they must be taken in before anything is written. */
  | { readonly kind: 'foreign' }
  | ParkedStop;

/** What the host refuses waits for a person: all of the stop, or some of its lines; then `held` is what the host has. */
export interface ParkedStop {
  readonly kind: 'parked';
  readonly sqlstate: string;
  readonly reason: string;
  readonly payload: string;
  readonly held?: HeldStop;
}

/** Each round knows more of what the host holds; past this something keeps changing the rows as fast as we read them. */
const ROUNDS = 4;

/**
 * Brings the host's rows of one stop to what the mirror says, by compare and set. It counts as confirmed by the affected
 * counts of a committed transaction, else only by reading back equal values (I10).
 * @throws HostError where the host is away or its rows are in use: the same again later
 */
export async function replicateStop(
  host: HostStops,
  stop: HostStop,
  shadow: HeldStop | undefined,
  stamp: AuditStamp,
): Promise<StopOutcome> {
  if (!shadow && isUntouched(stop.result)) return { kind: 'nothing' };
  let held = shadow;
  let payload = '';
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const all = hostRows(stop, held);
      const { rows, unheld } = withHeldKeys(all);
      const wanted = sealed(rows);
      const done = (now: HeldStop, isWritten: boolean): StopOutcome =>
        unheld.length === 0
          ? { kind: 'confirmed', held: now, wrote: isWritten }
          : { ...parked('22021', reasonFor(unheld), payload), held: now };
      const credited = held?.credited ?? new Set();
      payload = JSON.stringify(unheld.length > 0 ? all : wanted);
      if (held && stopText(held.rows) === stopText(wanted)) return done(held, round > 0);
      if (await wrote(host, wanted, held?.rows, stamp)) return done({ rows: wanted, credited }, true);
      const found = await host.read(stop.key, stop.stop);
      if (!found) return parked('02000', `the host has no stop ${stop.stop} on this route`, payload);
      const verdict = judgeStop(found.rows, wanted, held?.rows);
      if (verdict === 'foreign') return { kind: 'foreign' };
      if (verdict !== 'ours') return done(found, true);
      held = found;
    }
  } catch (error) {
    // What the host refuses, and what cannot even be rendered, is one stop's trouble: the others go on.
    if (error instanceof HostError && !isOneRowsTrouble(error)) throw error;
    const sqlstate = error instanceof HostError ? error.sqlstate : '38000';
    return parked(sqlstate, error instanceof Error ? error.message : String(error), payload);
  }
  return parked('40001', 'the rows of this stop keep changing on the host', payload);
}

/** False where the write matched nothing, met a row that it did not expect, or was committed without an answer. */
async function wrote(host: HostStops, ...write: Parameters<HostStops['write']>): Promise<boolean> {
  try {
    return await host.write(...write);
  } catch (error) {
    if (error instanceof HostError && (error.kind === 'duplicate' || isDoubtful(error))) return false;
    throw error;
  }
}

/** 08007: nobody knows whether the commit happened. Reading back tells. */
export function isDoubtful({ sqlstate }: HostError): boolean {
  return sqlstate === '08007';
}

function parked(sqlstate: string, reason: string, payload: string): ParkedStop {
  return { kind: 'parked', sqlstate, reason, payload };
}
