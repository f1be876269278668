import type { HeldStop, StopFile, StopRows } from '../../stops/host-stop.ts';
import { hostRowName } from '../to-host/edit-turns.ts';
import type { PlanChanges } from './route-changes.ts';

/** The host's last confirmed rows, by stop. */
export type HeldStops = ReadonlyMap<number, HeldStop>;

/**
 * The shadows of a reloaded route. A new stop, or one of another customer, takes over everything from the host.
 * Otherwise the mirror keeps its result, and the shadow keeps the rows that are unchanged: a row with other values is a
 * clerk's unseen edit, which must not pass for the service's own (I11).
 */
export function reloadedShadows(before: HeldStops, { saved }: PlanChanges, found: HeldStops): HeldStops {
  const shadows = new Map<number, HeldStop>();
  for (const { plan, isKnown, formerCustomer } of saved) {
    const now = found.get(plan.id);
    const stays = isKnown && formerCustomer === undefined;
    const held = stays ? before.get(plan.id) : now;
    if (now && held) shadows.set(plan.id, stays ? { rows: rest(held.rows, now.rows), credited: now.credited } : held);
  }
  return shadows;
}

type Row = { readonly [column: string]: string };

/** A newly inserted row is no statement: planning programs leave the status blank. */
function rest(held: StopRows, found: StopRows): StopRows {
  const still = <R extends Row>(file: StopFile, was: readonly R[], is: readonly R[]): readonly R[] => {
    const there = new Set(is.map((row) => hostRowName(file, row)));
    return was.filter((row) => there.has(hostRowName(file, row)));
  };
  const isLaid = (status = ''): boolean => ['', 'P'].includes(status);
  return {
    RTSTPP: isLaid(found.RTSTPP[0]?.RSSTS) ? found.RTSTPP : still('RTSTPP', held.RTSTPP, found.RTSTPP),
    RTPRUP: still('RTPRUP', held.RTPRUP, found.RTPRUP),
    RTOSDP: still('RTOSDP', held.RTOSDP, found.RTOSDP),
    RTIMGP: still('RTIMGP', held.RTIMGP, found.RTIMGP),
    RTEMLP: still('RTEMLP', held.RTEMLP, found.RTEMLP),
    RTSTUP: isLaid(found.RTSTUP[0]?.RUSTS) ? found.RTSTUP : still('RTSTUP', held.RTSTUP, found.RTSTUP),
  };
}
