import { HostError, isRowError, needsReadBack } from '../../host/host.ts';
import type { Verdict } from './judge.ts';

/** Rows of the host that the service writes as one unit; `State` is what the host has confirmed of them. */
export interface GuardedRows<State, Wanted> {
  /** The rows to write, given the confirmed ones. */
  want(confirmed: State | undefined): Wanted;
  isOnHost(wanted: Wanted, confirmed: State): boolean;
  /** Writes where the host still has the confirmed rows. @returns false where it does not: nothing is written then */
  write(wanted: Wanted, confirmed: State | undefined): Promise<boolean>;
  /** The confirmed rows after a write. */
  written(wanted: Wanted, confirmed: State | undefined): State;
  read(): Promise<State | undefined>;
  decide(found: State, wanted: Wanted, confirmed: State | undefined): Verdict;
  /** Why the rows are parked: the host has none of them, or another program changes them all the time. */
  readonly reasons: { readonly missing: string; readonly changing: string };
}

export interface Confirmed<State> {
  readonly kind: 'confirmed';
  readonly confirmed: State;
  readonly wrote: boolean;
}

/** Another program has changed the rows: the import reads them before anything is written. */
export interface Foreign {
  readonly kind: 'foreign';
}

/** The rows wait for a person. */
export interface Parked {
  readonly kind: 'parked';
  readonly sqlstate: string;
  readonly reason: string;
}

/** Each round starts from a later state of the host. After the last one, something changes the rows as fast as we read. */
const ROUNDS = 4;

/**
 * Brings rows of the host to the wanted state. They count as confirmed by the affected counts of a committed
 * transaction, else only by reading back equal values or a later sequence of ours (I10).
 * @param parksSystemErrors an internal error of the host parks the rows; else the caller tries again
 * @throws HostError where the host is away or its rows are in use: the caller tries again later
 */
export async function compareAndSet<State, Wanted>(
  rows: GuardedRows<State, Wanted>,
  shadow: State | undefined,
  parksSystemErrors = false,
): Promise<Confirmed<State> | Foreign | Parked> {
  let confirmed = shadow;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const wanted = rows.want(confirmed);
      if (confirmed && rows.isOnHost(wanted, confirmed)) return { kind: 'confirmed', confirmed, wrote: round > 0 };
      if (await isCounted(rows.write(wanted, confirmed)))
        return { kind: 'confirmed', confirmed: rows.written(wanted, confirmed), wrote: true };
      const found = await rows.read();
      if (!found) return { kind: 'parked', sqlstate: '02000', reason: rows.reasons.missing };
      const verdict = rows.decide(found, wanted, confirmed);
      if (verdict === 'foreign') return { kind: 'foreign' };
      if (verdict !== 'ours') return { kind: 'confirmed', confirmed: found, wrote: true };
      confirmed = found;
    }
  } catch (error) {
    // A value that the host refuses, or that cannot be rendered, parks these rows alone: the others continue.
    if (error instanceof HostError && !isRowError(error) && !(parksSystemErrors && error.kind === 'system'))
      throw error;
    const sqlstate = error instanceof HostError ? error.sqlstate : '38000';
    return { kind: 'parked', sqlstate, reason: error instanceof Error ? error.message : String(error) };
  }
  return { kind: 'parked', sqlstate: '40001', reason: rows.reasons.changing };
}

/** False where the write matched nothing, met an unexpected row, or was committed without an answer (08007). */
async function isCounted(write: Promise<boolean>): Promise<boolean> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof HostError && needsReadBack(error)) return false;
    throw error;
  }
}
