import type { StopObject } from '@tailgate/sync-protocol';
import { toldTime } from './event-time.ts';
import type { StopContext } from './stop-context.ts';

/**
 * When a change was made at the stop, in ms since 1970: as the driver tells it, but not after the device recorded it. A
 * REST client's edits count from their receipt; what it tells is all that shows how old one is.
 */
function madeAt({ updates }: StopObject, { stamp }: StopContext): number {
  const told = updates ? toldTime(updates) : undefined;
  return Math.min(told?.getTime() ?? stamp.at, stamp.at);
}

/** The stop was given to another customer after the driver was there (contract §4, plan changed under the driver). */
export function hasOtherCustomer(stop: StopObject, context: StopContext): boolean {
  const { customerSince } = context.plan;
  return customerSince !== null && madeAt(stop, context) < customerSince.getTime();
}

/** What is to be delivered there was changed after the driver was there. */
export function hasOtherLines(stop: StopObject, context: StopContext): boolean {
  const { linesSince } = context.plan;
  return linesSince !== null && madeAt(stop, context) < linesSince.getTime();
}
