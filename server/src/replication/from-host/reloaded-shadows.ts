import type { StopOnHost, StopFile, StopRows } from '../../stops/host-stop.ts';
import { hostRowName } from '../to-host/edits-by-author.ts';
import type { PlanChanges } from './route-changes.ts';

/** The host's last confirmed rows, by stop. */
export type StopShadows = ReadonlyMap<number, StopOnHost>;

/**
 * The shadows of a reloaded route. A new stop, or one of another customer, takes over everything from the host.
 * Otherwise the mirror keeps its result, and the shadow keeps the rows that are unchanged: a row with other values is a
 * clerk's unseen edit, which must not pass for the service's own (I11).
 */
export function reloadedShadows(before: StopShadows, { saved }: PlanChanges, inherited: StopShadows): StopShadows {
  const shadows = new Map<number, StopOnHost>();
  for (const { plan, isKnown, formerCustomer } of saved) {
    const hostStop = inherited.get(plan.id);
    const keepsResult = isKnown && formerCustomer === undefined;
    const shadow = keepsResult ? before.get(plan.id) : hostStop;
    if (!hostStop || !shadow) continue;
    const rows = keepsResult ? remainingRows(shadow.rows, hostStop.rows) : shadow.rows;
    shadows.set(plan.id, { rows, credited: hostStop.credited });
  }
  return shadows;
}

type Row = { readonly [column: string]: string };

/**
 * The shadow's rows that the host still has. A newly inserted row reports no status, because planning programs leave it
 * blank.
 */
function remainingRows(shadow: StopRows, host: StopRows): StopRows {
  const remaining = <R extends Row>(file: StopFile, was: readonly R[], is: readonly R[]): readonly R[] => {
    const there = new Set(is.map((row) => hostRowName(file, row)));
    return was.filter((row) => there.has(hostRowName(file, row)));
  };
  const isPending = (status = ''): boolean => ['', 'P'].includes(status);
  return {
    RTSTPP: isPending(host.RTSTPP[0]?.RSSTS) ? host.RTSTPP : remaining('RTSTPP', shadow.RTSTPP, host.RTSTPP),
    RTPRUP: remaining('RTPRUP', shadow.RTPRUP, host.RTPRUP),
    RTOSDP: remaining('RTOSDP', shadow.RTOSDP, host.RTOSDP),
    RTIMGP: remaining('RTIMGP', shadow.RTIMGP, host.RTIMGP),
    RTEMLP: remaining('RTEMLP', shadow.RTEMLP, host.RTEMLP),
    RTSTUP: isPending(host.RTSTUP[0]?.RUSTS) ? host.RTSTUP : remaining('RTSTUP', shadow.RTSTUP, host.RTSTUP),
  };
}
